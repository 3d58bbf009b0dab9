public import Spool

/// Objects that wait to be written together: without a connection, one message for some seconds is a tenth of the bytes.
public struct Gathering: Sendable {
    /// The objects of a stream: the members of each.
    public struct Group: Equatable, Sendable {
        /// The index of the stream.
        public let stream: Int
        /// The members of each object, oldest first.
        public fileprivate(set) var objects: [[UInt8]] = []
        fileprivate var bytes = 0

        /// The objects with their numbers, one a line.
        public func lines(epoch: Identity, number: UInt64) -> [UInt8] {
            var lines: [UInt8] = []
            lines.reserveCapacity(bytes + 80 * objects.count)
            for (index, members) in objects.enumerated() {
                lines += Wire.object(epoch: epoch, number: number + UInt64(index), members: members)
                lines.append(UInt8(ascii: "\n"))
            }
            return lines
        }
    }

    private var pending: [Int: Group] = [:]
    private var began: Int64?
    private let interval: Int64
    /// A group is a message: it must not get too large for servers.
    private static let mostBytes = 192 << 10

    /// Objects are gathered for this long.
    public init(intervalNanoseconds: Int64) { interval = intervalNanoseconds }

    /// Whether none waits.
    public var isEmpty: Bool { pending.isEmpty }

    /// When all have to be taken; nil if none waits.
    public var deadline: Int64? { began.map { $0 + interval } }

    /// Adds the members of an object; true if there are enough of that stream.
    public mutating func add(_ members: [UInt8], to stream: Int, _ now: Int64) -> Bool {
        var group = pending.removeValue(forKey: stream) ?? Group(stream: stream)
        group.objects.append(members)
        group.bytes += members.count
        pending[stream] = group
        if began == nil { began = now }
        assert(group.bytes >= members.count && !pending.isEmpty, "what waits is counted")
        return group.bytes >= Self.mostBytes
    }

    /// What waits of a stream.
    public mutating func take(_ stream: Int) -> Group? {
        let group = pending.removeValue(forKey: stream)
        if pending.isEmpty { began = nil }
        assert((began == nil) == pending.isEmpty, "a deadline waits exactly for what waits")
        return group
    }

    /// All that waits.
    public mutating func takeAll() -> [Group] { pending.keys.sorted().compactMap { take($0) } }
}
