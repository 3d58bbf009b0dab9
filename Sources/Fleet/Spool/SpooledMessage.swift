/// A message in the spool.
public struct SpooledMessage: Equatable, Sendable {
    /// The message's serial among all.
    public internal(set) var serial: UInt64
    /// CLOCK_BOOTTIME of when it was written.
    public let bootNanoseconds: Int64
    /// The message's stream.
    public let stream: String
    /// The epoch of its numbers.
    public let epoch: Identity
    /// The message.
    public let message: Message
}

extension SpooledMessage {
    /// The message of a record; nil if it is another record.
    init?(_ record: Record, in segment: Segment) {
        guard case .message(let stream, let message) = record.content, segment.head.streams.indices.contains(stream)
        else {
            return nil
        }
        self.init(
            serial: record.serial, bootNanoseconds: record.bootNanoseconds, stream: segment.head.streams[stream].name,
            epoch: segment.head.epoch, message: message)
    }
}

/// What the spool holds of some numbers, as far as one segment shows.
public struct FoundNumbers: Equatable, Sendable {
    /// Where messages with these numbers are.
    public var serials: [UInt64] = []
    /// The numbers that are not there.
    public var gone: [ClosedRange<UInt64>] = []
    /// The numbers that are still to be looked for; nil if all are known.
    public var rest: ClosedRange<UInt64>?
}
