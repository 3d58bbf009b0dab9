internal import BrokerClient
internal import Formats
internal import Readings
internal import Varlink

/// Understands the lines of a feed, each alone: numbers, with a line of names before them or without, and JSON.
///
/// What begins with a brace is JSON: readings as `watch` writes them, a location as in the interface, gpsd's TPV, or any object with names
/// for its values. Names and units are recognised as in the files that `import` reads.
struct FeedLines {
    private let kind: Kind
    /// The table of the last line of names.
    private var named: LineTable?
    /// The table of lines without names.
    private var unnamed: LineTable?
    /// The table of the last names that came with their values.
    private var labelled: LineTable?

    init(kind: Kind) { self.kind = kind }

    /// Whether a line may be one of names, which later lines need.
    static func mayBeNames(_ line: [UInt8]) -> Bool {
        let first = line.first { $0 != 32 && $0 != 9 } ?? 0
        return first == UInt8(ascii: "\"") || (first | 0x20 >= UInt8(ascii: "a") && first | 0x20 <= UInt8(ascii: "z"))
    }

    /// The samples of a line; none if it has no values, such as one of names or of the broker's news.
    mutating func samples(in line: [UInt8]) throws(FormatError) -> [LineSample] {
        let text = line.drop { $0 == 32 || $0 == 9 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
        switch text.first {
        case nil, UInt8(ascii: "#"): return []
        case UInt8(ascii: "{"): return try object(in: Array(text))
        case UInt8(ascii: "$") where kind == .location:
            throw FormatError("NMEA is for gpsd, which owns receivers; the broker has their locations from there")
        default: return try row(LineCells.cells(of: String(decoding: text, as: UTF8.self))).map { [$0] } ?? []
        }
    }

    // MARK: rows

    private mutating func row(_ cells: [String]) throws(FormatError) -> LineSample? {
        if let pairs = LineCells.pairs(cells) { return try labelledRow(pairs.names, pairs.values) }
        guard cells.contains(where: { DecimalNumber.value($0) != nil }) else {
            if cells.allSatisfy({ DecimalNumber.isUnknown($0) }) { return nil }
            guard let table = try LineTable(cells, of: kind) else {
                let words = cells.joined(separator: " ").excerpt
                throw FormatError("'\(words)' is neither numbers nor the names of \(wanted)")
            }
            named = table
            return nil
        }
        if let named { return try named.row(cells) }
        if unnamed?.names.count != cells.count { unnamed = try LineTable(unnamed: cells.count, of: kind) }
        guard let unnamed else {
            throw FormatError(
                "\(cells.count) values, but \(kind.row.resource) has \(wanted): begin with a line of their names")
        }
        return try unnamed.row(cells)
    }

    private mutating func labelledRow(_ names: [String], _ cells: [String]) throws(FormatError) -> LineSample? {
        if labelled?.names != names { labelled = try LineTable(names, of: kind) }
        guard let labelled else {
            throw FormatError("none of \(names.joined(separator: ", ").excerpt) is recognised as \(wanted)")
        }
        return try labelled.row(cells)
    }

    /// What a line has to have.
    private var wanted: String {
        kind.row.form == .location ? "latitude and longitude" : kind.channels.joined(separator: ", ")
    }

    // MARK: objects

    /// What the broker sends of a stream besides its readings.
    private static let news: Set = ["recording", "subscription", "grant", "gap", "ended"]

    private mutating func object(in bytes: [UInt8]) throws(FormatError) -> [LineSample] {
        let value: JSONValue
        do { value = try JSONReader.read(bytes, limits: .replies) } catch { throw FormatError("JSON: \(error)") }
        guard case .object(let object) = value else { throw FormatError("no JSON object") }
        if case .object? = object["values"] { return try reading(object) }
        if case .object? = object["location"] { return try reading(object) }
        if case .object? = object["resource"] { return [] }
        if object.members.contains(where: { Self.news.contains($0.key) }) { return [] }
        if case .string(let name)? = object["class"], name != "TPV" { return [] }
        let fix = FeedObject.fix(ofTPV: object)
        if kind == .location, fix == .noPosition {
            return [LineSample(time: nil, measurement: .location(Location(fix: .noPosition)))]
        }
        if kind == .location, object["fix"] != nil || object["latitudeDegrees"] != nil { return [try location(object)] }
        let (names, cells) = (object.members.map(\.key), object.members.map { FeedObject.cell($0.value) })
        return try labelledRow(names + (fix == nil ? [] : ["fix"]), cells + [fix?.rawValue].compactMap(\.self))
            .map { [$0] } ?? []
    }

    /// A reading of the broker's, which may be a batch.
    private func reading(_ object: JSONObject) throws(FormatError) -> [LineSample] {
        let reading: Reading
        do throws(VarlinkError) { reading = try Reading(Parameters(object)) } catch { throw FeedObject.fault(error) }
        if let other = Kind(resource: reading.resource.word), other != kind {
            throw FormatError("it is of \(other.row.resource), and not of \(kind.row.resource)")
        }
        switch reading.content {
        case .location(let location, _) where kind == .location:
            return [LineSample(time: .boot(reading.timestampNanoseconds), measurement: .location(location))]
        case .values(let columns):
            guard let rows = columns.values(of: kind) else { throw FormatError("it has not all of \(wanted)") }
            return zip(rows, columns.timestampsNanoseconds).map {
                LineSample(time: .boot($0.1), measurement: .values($0.0))
            }
        default: throw FormatError("it has not \(wanted)")
        }
    }

    /// A location with the names of the interface; what kind of fix it is may follow from what it has.
    private func location(_ object: JSONObject) throws(FormatError) -> LineSample {
        var whole = object
        _ = whole.append("fix", "")
        do throws(VarlinkError) {
            let parameters = Parameters(whole)
            let location = try Location(parameters)
            let boot = try parameters.optionalInteger("timestampNanoseconds")
            return LineSample(
                time: boot.map { .boot($0) } ?? location.utcMicroseconds.map { .utc($0) },
                measurement: .location(location))
        } catch { throw FeedObject.fault(error) }
    }
}

/// An object of a feed as names and texts, as a table has them.
private enum FeedObject {
    static func cell(_ value: JSONValue) -> String {
        switch value {
        case .bool(let isTrue): isTrue ? "1" : "0"
        default: CSVFormat.text(value)
        }
    }

    /// gpsd has a number for each kind of fix.
    static func fix(ofTPV object: JSONObject) -> Location.Fix? {
        guard case .integer(let mode)? = object["mode"], object["class"] != nil else { return nil }
        return mode == 3 ? .threeDimensional : mode == 2 ? .twoDimensional : .noPosition
    }

    static func fault(_ error: VarlinkError) -> FormatError {
        guard case .invalidParameter(let name) = error else { return FormatError("it is no reading") }
        return FormatError("it has no valid '\(name.excerpt)'")
    }
}
