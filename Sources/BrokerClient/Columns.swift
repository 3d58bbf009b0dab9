public import Readings
internal import Varlink

/// Values as the broker delivers them: a column of numbers for each channel, and the time of each row.
public struct Columns: Equatable, Sendable {
    /// The names of the channels, in the order in which they came.
    public let names: [String]
    /// CLOCK_BOOTTIME of each row, oldest first.
    public let timestampsNanoseconds: [Int64]
    private let columns: [[Double]]

    /// The columns of an object, whose first row has a time.
    init(_ parameters: Parameters, _ stamps: Parameters, first: Int64) throws(VarlinkError) {
        names = parameters.object.members.map(\.key)
        columns = try names.map { name throws(VarlinkError) in try parameters.numbers(name) }
        let count = columns.first?.count ?? 0
        guard columns.allSatisfy({ $0.count == count }) else { throw .invalidParameter("columns") }
        let period = try stamps.optionalInteger("periodNanoseconds") ?? 0
        let given = try stamps.optionalArray("timestampsNanoseconds")?.map { element throws(VarlinkError) in
            guard case .integer(let stamp) = element else { throw .invalidParameter("timestampsNanoseconds") }
            return stamp
        }
        guard (given?.count ?? count) == count else { throw .invalidParameter("timestampsNanoseconds") }
        timestampsNanoseconds = given ?? (0..<count).map { row in first &+ Int64(row) &* period }
    }

    /// How many rows there are.
    public var count: Int { timestampsNanoseconds.count }

    /// The numbers of a row, in the order of the channels' names.
    public func numbers(_ row: Int) -> [Double] { columns.map { $0[row] } }

    /// Each row as values of a kind; nil where a channel of the kind is missing.
    public func values(of kind: Kind) -> [Values]? {
        let places = kind.row.channels.compactMap { names.firstIndex(of: $0.description) }
        guard places.count == kind.row.channels.count, !places.isEmpty else { return nil }
        return (0..<count).map { row in
            var vector = SIMD4<Double>.zero
            for (channel, place) in places.enumerated() { vector[channel] = columns[place][row] }
            return Values(kind, vector)
        }
    }
}

extension Parameters {
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
