internal import Readings

/// The columns of a kind's values in a table, and their units.
struct ValueColumns: Equatable, Sendable {
    /// A sample and its offset in time; nil if no column has times.
    typealias Sample = (offsetNanoseconds: Int64?, values: Values)

    /// The kind.
    let kind: Kind
    /// The name of the column of each channel.
    var channels: [String]
    /// The name of the time column; nil if there is none.
    var time: String?
    /// The factor from the columns' unit to the kind's: 1, or 9.80665 for accelerations in g.
    var factor: Double
    /// Nanoseconds in one unit of the time column; nil if it has dates.
    var timeUnitNanoseconds: Double?

    /// Creates columns with these names, by default in the kind's unit and seconds.
    init(
        _ kind: Kind, _ channels: [String], time: String? = nil, factor: Double = 1, timeUnitNanoseconds: Double? = 1e9
    ) {
        self.kind = kind
        self.channels = channels
        self.time = time
        self.factor = factor
        self.timeUnitNanoseconds = timeUnitNanoseconds
    }

    /// Reads the samples in the order of the rows; times must increase.
    func read(
        _ table: inout CSVTable, _ take: (Sample, CSVReader.Row) throws(FormatError) -> Void
    ) throws(FormatError) {
        var indices: [Int] = []
        for name in channels { indices.append(try table.index(of: name)) }
        let clock = try time.map { (name) throws(FormatError) in
            TimeColumn(index: try table.index(of: name), unitNanoseconds: timeUnitNanoseconds)
        }
        var count = 0
        var start: TimeColumn.Instant?
        var last: Int64?
        while let row = try table.next() {
            guard let values = try values(row, indices, table) else { continue }
            count += 1
            guard let clock else {
                try take((nil, values), row)
                continue
            }
            let instant = try clock.instant(row, table)
            let first = start ?? instant
            start = first
            let offset = try clock.nanoseconds(from: first, to: instant, row)
            if let last, offset <= last {
                throw FormatError(line: row.line, "its time is not later than that of the previous row")
            }
            last = offset
            try take((offset, values), row)
        }
        guard count > 0 else { throw FormatError("no row has all of \(kind.channelWords)") }
    }

    /// Nil if no channel has a value: the row is about something else.
    private func values(
        _ row: CSVReader.Row, _ indices: [Int], _ table: CSVTable
    ) throws(FormatError) -> Values? {
        var vector = SIMD4<Double>.zero
        var count = 0
        for (channel, index) in indices.enumerated() {
            guard let value = try table.number(row, index) else { continue }
            let scaled = value * factor
            guard kind.row.range.contains(scaled) else {
                throw FormatError(line: row.line, "\(value) is not a possible \(kind.wire); is it in another unit?")
            }
            vector[channel] = scaled
            count += 1
        }
        if count == 0 { return nil }
        guard count == indices.count else {
            throw FormatError(line: row.line, "not all of \(kind.channelWords) have a value")
        }
        return Values(kind, vector)
    }
}

extension Kind {
    /// The names of the channels as text: `x, y and z`.
    var channelWords: String {
        let names = row.channels.map(\.description)
        guard let last = names.last, names.count > 1 else { return names.first ?? wire }
        return names.dropLast().joined(separator: ", ") + " and \(last)"
    }
}
