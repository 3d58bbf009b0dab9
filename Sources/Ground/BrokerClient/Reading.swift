public import Readings
public import Varlink

/// A reading from the broker: of one kind, and with several samples if it is a batch.
public struct Reading: Decoded {
    /// What was measured.
    public enum Content: Equatable, Sendable {
        /// A location, with the object it came in.
        case location(Location, Parameters)
        /// The values of each channel, with several rows for a batch.
        case values(Columns)
        /// An orientation.
        case orientation(String)
        /// A kind that this program does not know.
        case unknown
    }

    /// The object as received.
    public let object: JSONObject
    /// The resource.
    public let resource: String
    /// The label of the request, if it has one.
    public let label: String?
    /// The sequence number of the first sample.
    public let sequence: Int64
    /// CLOCK_BOOTTIME of the first sample.
    public let timestampNanoseconds: Int64
    /// What was measured.
    public let content: Content
    /// What resources that are aligned to this one measured then.
    public let aligned: [Aligned]

    /// The reading of an object.
    public init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        resource = try parameters.string("resource")
        label = try parameters.optionalString("label")
        sequence = try parameters.integer("sequence")
        timestampNanoseconds = try parameters.integer("timestampNanoseconds")
        if let location = try parameters.optionalObject("location") {
            content = .location(try Location(location), location)
        } else if let values = try parameters.optionalObject("values") {
            content = .values(try Columns(values, first: timestampNanoseconds))
        } else if let orientation = try parameters.optionalString("orientation") {
            content = .orientation(orientation)
        } else {
            content = .unknown
        }
        aligned = try Aligned.all(parameters.optionalObjects("aligned") ?? [])
    }

    /// The number of samples.
    public var sampleCount: Int {
        if case .values(let columns) = content { columns.count } else { 1 }
    }

    /// CLOCK_BOOTTIME of the last sample.
    public var lastTimestampNanoseconds: Int64 {
        guard case .values(let columns) = content else { return timestampNanoseconds }
        return columns.timestampsNanoseconds.last ?? timestampNanoseconds
    }
}

/// Values from the broker: a column of numbers for each channel, and the time of each row.
public struct Columns: Equatable, Sendable {
    /// The names of the channels, in the order received.
    public let names: [String]
    /// CLOCK_BOOTTIME of each row, oldest first.
    public let timestampsNanoseconds: [Int64]
    private let columns: [[Double]]

    /// Parses the columns of an object, packed or not; the time of the first row is given.
    ///
    /// A broker sends finite numbers only; a sensor may have others.
    package init(_ values: Parameters, first: Int64, finite: Bool = true) throws(VarlinkError) {
        if let packed = try values.optionalObject("packed") {
            names = packed.object.members.map(\.key)
            columns = try names.map { name throws(VarlinkError) in
                guard let numbers = PackedNumbers.numbers(try packed.string(name), finite: finite) else {
                    throw .invalidParameter(name)
                }
                return numbers
            }
        } else {
            let plain = try values.object("columns")
            names = plain.object.members.map(\.key)
            columns = try names.map { name throws(VarlinkError) in try plain.numbers(name) }
        }
        let count = columns.first?.count ?? 0
        guard columns.allSatisfy({ $0.count == count }) else { throw .invalidParameter("columns") }
        timestampsNanoseconds = try values.timestamps(count: count, first: first)
    }

    /// The number of rows.
    public var count: Int { timestampsNanoseconds.count }

    /// The numbers of a row, in the order of the channels' names.
    public func numbers(_ row: Int) -> [Double] { columns.map { $0[row] } }

    /// Each row as values of a kind; nil if a channel of the kind is missing.
    package func values(of kind: Kind) -> [Values]? {
        let indices = kind.row.channels.compactMap { names.firstIndex(of: $0.description) }
        guard indices.count == kind.row.channels.count, !indices.isEmpty else { return nil }
        return (0..<count).map { row in
            var vector = SIMD4<Double>.zero
            for (channel, index) in indices.enumerated() { vector[channel] = columns[index][row] }
            return Values(kind, vector)
        }
    }
}

extension Parameters {
    /// The time of each row: given, or by the steps from row to row, or by one period.
    fileprivate func timestamps(count: Int, first: Int64) throws(VarlinkError) -> [Int64] {
        let period = try optionalInteger("periodNanoseconds") ?? 0
        if let given = try optionalArray("timestampsNanoseconds") {
            guard given.count == count else { throw .invalidParameter("timestampsNanoseconds") }
            return try given.map { element throws(VarlinkError) in
                guard case .integer(let stamp) = element else { throw .invalidParameter("timestampsNanoseconds") }
                return stamp
            }
        }
        guard let packed = try optionalString("packedStepsNanoseconds") else {
            let (span, isTooLong) = period.multipliedReportingOverflow(by: Int64(max(count - 1, 0)))
            guard !isTooLong, !first.addingReportingOverflow(span).overflow else {
                throw .invalidParameter("periodNanoseconds")
            }
            return (0..<count).map { row in first &+ Int64(row) &* period }
        }
        guard let steps = PackedNumbers.words(packed), steps.count == count - 1 else {
            throw .invalidParameter("packedStepsNanoseconds")
        }
        let span = steps.reduce(0 as Int64) { $0 &+ Int64($1) }
        guard !first.addingReportingOverflow(span).overflow else { throw .invalidParameter("packedStepsNanoseconds") }
        return steps.reduce(into: [first]) { stamps, step in stamps.append(stamps[stamps.count - 1] &+ Int64(step)) }
    }

    fileprivate func numbers(_ name: String) throws(VarlinkError) -> [Double] {
        try array(name).map { element throws(VarlinkError) in
            switch element {
            case .number(let value): value
            case .integer(let value): Double(value)
            default: throw .invalidParameter(name)
            }
        }
    }
}

/// A value of a reply, kept together with its object.
///
/// Unknown members are ignored, since a newer broker may send them.
public protocol Decoded: Equatable, Sendable {
    /// Parses the value of an object.
    init(_ parameters: Parameters) throws(VarlinkError)
}

extension Decoded {
    /// Parses a list of values.
    public static func all(_ objects: [Parameters]) throws(VarlinkError) -> [Self] {
        try objects.map { object throws(VarlinkError) in try Self(object) }
    }
}

/// Parses an answer.
///
/// An answer that lacks a required field is not from a broker of a known version.
public func understand<Value>(_ read: () throws(VarlinkError) -> Value) throws(ConnectionFault) -> Value {
    do { return try read() } catch {
        guard case .invalidParameter(let name) = error else { throw .unintelligible(error.name) }
        throw .improper(name)
    }
}
