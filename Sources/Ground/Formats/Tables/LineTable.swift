package import Readings

/// A table whose rows come one by one, while it is made: each is understood alone, and nothing is known of later ones.
///
/// Its columns are recognised by their names, as those of a file are, with their units. Nothing is taken for granted of a number's time:
/// it counts from 1970 or from the start of this host if it is named or large enough, and else belongs to another clock.
package struct LineTable {
    /// The names of its columns, as they were given.
    package let names: [String]
    private let kind: Kind
    private let reader: TableRow
    private let clock: (column: Int, nanoseconds: Double?)?

    private static let separator = UInt8(ascii: ";")

    /// A table with these names of columns; nil if they are not those of the kind.
    package init?(_ names: [String], of kind: Kind) throws(FormatError) {
        let titles = names.map { ColumnName($0) }
        let clock = TableClock.columnByName(titles)
        let layout = try Self.layout(names, [:], kind, clock?.column)
        guard !layout.places.isEmpty || !layout.sensors.isEmpty else { return nil }
        self.init(names, kind, layout, clock)
    }

    /// A table without names: the numbers are those of the kind's channels, in their order, perhaps behind a time; nil if there are more
    /// or fewer.
    package init?(unnamed count: Int, of kind: Kind) throws(FormatError) {
        let channels = kind.row.channels.map(\.description)
        let isTimed = count == channels.count + 1
        guard !channels.isEmpty, isTimed || count == channels.count else { return nil }
        let names = (isTimed ? ["time"] : []) + channels
        var named: TableImport.Names = [:]
        for channel in channels { named[channel] = (channel, nil) }
        let layout = try Self.layout(names, named, kind, isTimed ? 0 : nil)
        self.init(names, kind, layout, isTimed ? (0, nil) : nil)
    }

    private init(_ names: [String], _ kind: Kind, _ layout: TableLayout, _ clock: (column: Int, nanoseconds: Double?)?)
    {
        self.names = names
        self.kind = kind
        self.clock = clock
        reader = TableRow(layout: layout, columns: names, separator: Self.separator)
    }

    private static func layout(
        _ names: [String], _ named: TableImport.Names, _ kind: Kind, _ clock: Int?
    ) throws(FormatError) -> TableLayout {
        try TableLayout(names, named, kind, clock: clock.map { TableClock(column: $0, form: .numbers(1)) })
    }

    /// What the cells of a row hold; nil if nothing is known in it.
    package func row(_ cells: [String]) throws(FormatError) -> LineSample? {
        guard cells.count == names.count else {
            let words = names.joined(separator: ", ").excerpt
            throw FormatError("\(cells.count) values, but \(names.count) names: \(words)")
        }
        let row = CSVReader.Row(line: 1, cells: cells, isDamaged: false, isUnterminated: false)
        let resource = reader.layout.resource.flatMap { ResourceName(row.text($0)) }
        if let other = resource.flatMap({ Kind(resource: $0.word) }), other != kind {
            throw FormatError("it is of \(other.row.resource), and not of \(kind.row.resource)")
        }
        var wrong: Int?
        var outcome =
            reader.layout.sensors.first.map { reader.outcome(of: $0, row) }
            ?? reader.location(row) { wrong = wrong ?? $0 }
        if let wrong { outcome = reader.notANumber(row, wrong) }
        switch outcome {
        case .nothing: return nil
        case .fault(_, let error): throw FormatError(error.words)
        case .measurement(let measurement):
            let time = try clock.flatMap { clock throws(FormatError) in
                try LineTime(row.text(clock.column), named: names[clock.column], nanoseconds: clock.nanoseconds)
            }
            return LineSample(time: time, measurement: measurement.dated(time))
        }
    }
}

extension Measurement {
    /// A location with the time of its row, if that is UTC and nothing else is known.
    fileprivate func dated(_ time: LineTime?) -> Self {
        guard case .location(var location) = self, case .utc(let microseconds)? = time else { return self }
        location.utcMicroseconds = location.utcMicroseconds ?? CalendarTime.possible(microseconds)
        return .location(location)
    }
}

/// What a row holds.
package struct LineSample: Equatable {
    /// When it was measured; nil if the row does not have it.
    package let time: LineTime?
    package let measurement: Measurement

    package init(time: LineTime?, measurement: Measurement) {
        self.time = time
        self.measurement = measurement
    }
}

/// The time of a row.
package enum LineTime: Equatable {
    /// CLOCK_BOOTTIME of this host, in nanoseconds.
    case boot(Int64)
    /// Microseconds since 1970.
    case utc(Int64)
    /// That of a clock that nothing is known of, such as a microcontroller's.
    case foreign

    /// Reads a cell; nil if it is empty.
    ///
    /// What a number counts follows from the name of its column, and the unit in it.
    init?(_ text: String, named name: String, nanoseconds: Double?) throws(FormatError) {
        guard !DecimalNumber.isUnknown(text) else { return nil }
        if ColumnName.plain(name) == Self.bootName, let boot = Int64(text) {
            self = .boot(boot)
        } else if let utc = TableTime.parts(text, nil)?.utcMicroseconds {
            self = .utc(utc)
        } else if let number = DecimalNumber.value(text) {
            self = Self.counted(number, whole: Int64(text), nanoseconds)
        } else {
            throw FormatError("'\(text.excerpt)' is not a time")
        }
    }

    private static let bootName = "timestampnanoseconds"
    /// Seconds that count from 1970, in the years 2001 to 2286.
    private static let seconds = 1e9..<1e10

    private static func counted(_ number: Double, whole: Int64?, _ unit: Double?) -> Self {
        if let unit {
            let microseconds = Int64(exactly: (number * unit / 1_000).rounded())
            guard let microseconds, seconds.contains(Double(microseconds) / 1e6) else { return .foreign }
            return .utc(microseconds)
        }
        if seconds.contains(number), let microseconds = Int64(exactly: (number * 1e6).rounded()) {
            return .utc(microseconds)
        }
        // As our own outputs have it.
        return whole.flatMap { Double($0) >= seconds.upperBound ? .boot($0) : nil } ?? .foreign
    }
}
