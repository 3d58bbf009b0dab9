internal import Readings

/// Accelerations in a table: which columns they are in, and in which units.
struct AccelerationColumns: Equatable, Sendable {
    /// A sample, and how long after the first one it was measured; nil where no column says so.
    typealias Sample = (offsetNanoseconds: Int64?, acceleration: Acceleration)

    /// The names of the columns of the three axes.
    var axes: [String]
    /// The name of the column of the time; nil: there is none.
    var time: String?
    /// m/s² in one unit of the axes' columns: 1, or 9.80665 where they are in g.
    var metersPerSecondSquared: Double
    /// Nanoseconds in one unit of the time's column; nil: it is written as a date, with its time.
    var timeUnitNanoseconds: Double?

    /// Standard gravity, which is one g.
    static let standardGravity = 9.80665

    /// Columns of these names, in m/s² and seconds where nothing else is said.
    init(
        x: String, y: String, z: String, time: String? = nil, metersPerSecondSquared: Double = 1,
        timeUnitNanoseconds: Double? = 1e9
    ) {
        axes = [x, y, z]
        self.time = time
        self.metersPerSecondSquared = metersPerSecondSquared
        self.timeUnitNanoseconds = timeUnitNanoseconds
    }

    /// Reads the samples, in the order of the rows; times have to increase.
    func read(
        _ table: inout CSVTable, _ take: (Sample, CSVReader.Row) throws(FormatError) -> Void
    ) throws(FormatError) {
        var indices: [Int] = []
        for axis in axes { indices.append(try table.index(of: axis)) }
        let clock = try time.map { (name) throws(FormatError) in
            TimeColumn(index: try table.index(of: name), unitNanoseconds: timeUnitNanoseconds)
        }
        var count = 0
        var start: TimeColumn.Instant?
        var last: Int64?
        while let row = try table.next() {
            guard let acceleration = try acceleration(row, indices, table) else { continue }
            count += 1
            guard let clock else {
                try take((nil, acceleration), row)
                continue
            }
            let instant = try clock.instant(row, table)
            let first = start ?? instant
            start = first
            let offset = try clock.nanoseconds(from: first, to: instant, row)
            if let last, offset <= last {
                throw FormatError(line: row.line, "its time is not later than that of the row before")
            }
            last = offset
            try take((offset, acceleration), row)
        }
        guard count > 0 else { throw FormatError("there is no row with all three axes in it") }
    }

    /// nil where no axis is there: a row about something else.
    private func acceleration(
        _ row: CSVReader.Row, _ indices: [Int], _ table: CSVTable
    ) throws(FormatError) -> Acceleration? {
        var values: [Double] = []
        for index in indices {
            guard let value = try table.number(row, index) else { continue }
            let scaled = value * metersPerSecondSquared
            guard Kind.acceleration.row.range.contains(scaled) else {
                throw FormatError(line: row.line, "\(value) is no acceleration; is it in another unit?")
            }
            values.append(scaled)
        }
        if values.isEmpty { return nil }
        guard values.count == 3 else { throw FormatError(line: row.line, "not all of its axes have a value") }
        return Acceleration(x: values[0], y: values[1], z: values[2])
    }
}
