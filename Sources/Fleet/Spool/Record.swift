/// What the spool keeps of a message: the bytes that are published, or what they are made of.
public struct Message: Equatable, Sendable {
    /// The form of the payload.
    public enum Form: Equatable, Sendable {
        /// Members of a JSON object, without its braces.
        case members
        /// Several whole objects, one a line, compressed by zstd.
        case group
        /// Numbers that will never come; the payload is empty.
        case loss(Loss)
    }

    /// The form of the payload.
    public let form: Form
    /// The number in its stream and epoch; of a group, that of the first object.
    public let number: UInt64
    /// How many numbers it has; 1 but for a group.
    public let count: UInt32
    /// The payload.
    public let payload: [UInt8]

    /// The record's numbers.
    public var numbers: ClosedRange<UInt64> { number...number + UInt64(count) - 1 }
}

/// Numbers of a stream that will never come.
public struct Loss: Hashable, Sendable {
    /// Why.
    public enum Cause: UInt8, CaseIterable, Sendable {
        /// The spool was full.
        case evicted = 1
        /// The message was older than the spool keeps.
        case expired = 2
        /// The disk was full.
        case diskFull = 3
        /// The disk returned other bytes than were written.
        case corrupted = 4
        /// The server takes no message of this size.
        case tooLarge = 5
        /// The message was asked for again, and is kept no longer.
        case gone = 6
        /// The disk refused to take it.
        case diskFailed = 7
    }

    /// The epoch of the numbers.
    public let epoch: Identity
    /// The numbers.
    public let numbers: ClosedRange<UInt64>
    /// Why.
    public let cause: Cause

    /// A loss of some numbers.
    public init(epoch: Identity, numbers: ClosedRange<UInt64>, cause: Cause) {
        self.epoch = epoch
        self.numbers = numbers
        self.cause = cause
    }
}

/// The beginning of a segment: it states what came before it, so that a damaged neighbour's numbers are known.
struct SegmentHead: Equatable {
    /// Where an epoch ended.
    struct Former: Equatable {
        var epoch: Identity
        /// The last number of each stream.
        var last: [String: UInt64]
    }

    var epoch: Identity
    var bootID: Identity
    var utcMicroseconds: Int64
    /// The streams in the order of their indexes in records, with the number that comes next.
    var streams: [(name: String, next: UInt64)]
    /// The epoch before this one; nil for the first of a spool.
    var former: Former?
    /// Whether UTC followed a reference; nil if that is unknown.
    var isSynchronized: Bool?

    static func == (one: Self, other: Self) -> Bool {
        one.epoch == other.epoch && one.bootID == other.bootID && one.utcMicroseconds == other.utcMicroseconds
            && one.former == other.former && one.isSynchronized == other.isSynchronized
            && one.streams.elementsEqual(other.streams) { $0 == $1 }
    }
}

/// One record of a segment.
///
/// On the disk: the body's length, the checksum of all that follows it, the serial, the time, the kind, the body.
struct Record: Equatable {
    enum Content: Equatable {
        case head(SegmentHead)
        case message(stream: Int, Message)
        /// The head as it would be now, for whoever cannot read the head, or what is before this.
        case copy(SegmentHead)
        /// All serials that are acknowledged.
        case acknowledged([ClosedRange<UInt64>])
        /// The program ended in order.
        case ended
    }

    /// Length, checksum, serial, time, kind.
    static let headerBytes = 4 + 4 + 8 + 8 + 1
    /// The shortest message: its header, stream, number and count.
    static let shortestMessage = headerBytes + 1 + 8 + 4
    static let longestBody = 8 << 20
    static let mostStreams = 64
    private static let mostRanges = 4_096
    /// No spool ever gets so far; the bits above number the chain.
    private static let mostSerial: UInt64 = 1 << 55

    /// A message's own serial, else the serial of the next message.
    var serial: UInt64
    var bootNanoseconds: Int64
    var content: Content

    /// The bytes on the disk.
    var bytes: [UInt8] {
        var whole = ByteWriter(capacity: Self.headerBytes + (payload?.count ?? 0) + 64)
        // Both are known at the end.
        whole.put(UInt32(0))
        whole.put(UInt32(0))
        whole.put(serial)
        whole.put(bootNanoseconds)
        whole.put(kind)
        write(to: &whole)
        assert(whole.bytes.count - Self.headerBytes <= Self.longestBody, "what is written can be read")
        whole.replace(at: 0, UInt32(clamping: whole.bytes.count - Self.headerBytes))
        whole.replace(at: 4, CRC32C.checksum(whole.bytes[8...]))
        return whole.bytes
    }

    private var payload: [UInt8]? {
        if case .message(_, let message) = content { message.payload } else { nil }
    }

    /// The length of a record that begins with these bytes; nil if they are too few, or no record is so long.
    static func size(at bytes: ArraySlice<UInt8>) -> Int? {
        var reader = ByteReader(bytes)
        guard let length = reader.number(UInt32.self), length <= longestBody else { return nil }
        return headerBytes + Int(length)
    }

    /// Where a record on the disk has its serial and its kind.
    static let serialOffset = 8
    static let kindOffset = 24

    /// Whether there is this kind of record.
    static func isKind(_ kind: UInt8) -> Bool { (Kind.head...Kind.ended).contains(kind) }

    private enum Kind {
        static let head: UInt8 = 1
        static let members: UInt8 = 2
        static let group: UInt8 = 3
        static let loss: UInt8 = 4
        static let acknowledged: UInt8 = 5
        /// With a body it is a copy of the head; a program that knows no copies takes it for an end, and goes on.
        static let ended: UInt8 = 6
    }

    private var kind: UInt8 {
        switch content {
        case .head: Kind.head
        case .message(_, let message):
            switch message.form {
            case .members: Kind.members
            case .group: Kind.group
            case .loss: Kind.loss
            }
        case .acknowledged: Kind.acknowledged
        case .ended, .copy: Kind.ended
        }
    }

    private func write(to body: inout ByteWriter) {
        switch content {
        case .head(let head), .copy(let head): head.write(to: &body)
        case .message(let stream, let message):
            body.put(UInt8(clamping: stream))
            body.put(message.number)
            body.put(message.count)
            if case .loss(let loss) = message.form {
                body.put(loss.epoch)
                body.put(loss.numbers.lowerBound)
                body.put(loss.numbers.upperBound)
                body.put(loss.cause.rawValue)
            } else {
                body.put(message.payload)
            }
        case .acknowledged(let ranges):
            // If there are too many, those of the newest are written; the others are sent twice.
            for range in ranges.suffix(Self.mostRanges) {
                body.put(range.lowerBound)
                body.put(range.upperBound)
            }
        case .ended: break
        }
    }

    private static func content(_ kind: UInt8, _ reader: inout ByteReader) -> Content? {
        switch kind {
        case Kind.head: return SegmentHead(&reader).map { .head($0) }
        case Kind.members, Kind.group, Kind.loss: return message(kind, &reader)
        case Kind.acknowledged:
            var ranges: [ClosedRange<UInt64>] = []
            while let lower = reader.number(UInt64.self), let upper = reader.number(UInt64.self),
                ranges.count < mostRanges
            {
                guard lower <= upper, upper < mostSerial else { return nil }
                ranges.append(lower...upper)
            }
            return .acknowledged(ranges)
        case Kind.ended: return reader.rest.isEmpty ? .ended : SegmentHead(&reader).map { .copy($0) }
        default: return nil
        }
    }

    private static func message(_ kind: UInt8, _ reader: inout ByteReader) -> Content? {
        guard let stream = reader.number(UInt8.self), let number = reader.number(UInt64.self),
            let count = reader.number(UInt32.self), count > 0, kind == Kind.group || count == 1,
            number > 0, number < UInt64(Int64.max)
        else { return nil }
        guard kind == Kind.loss else {
            let form: Message.Form = kind == Kind.group ? .group : .members
            return .message(
                stream: Int(stream), Message(form: form, number: number, count: count, payload: Array(reader.rest)))
        }
        guard let epoch = reader.identity(), let from = reader.number(UInt64.self), let to = reader.number(UInt64.self),
            from > 0, from <= to, to < UInt64(Int64.max),
            let cause = reader.number(UInt8.self).flatMap(Loss.Cause.init(rawValue:))
        else { return nil }
        let loss = Loss(epoch: epoch, numbers: from...to, cause: cause)
        return .message(stream: Int(stream), Message(form: .loss(loss), number: number, count: 1, payload: []))
    }
}

extension Record {
    /// The record at the beginning of some bytes; nil if there is no whole, unchanged one.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let size = Self.size(at: bytes), bytes.count >= size else { return nil }
        var reader = ByteReader(bytes.prefix(size).dropFirst(4))
        guard let checksum = reader.number(UInt32.self), checksum == CRC32C.checksum(reader.rest),
            let serial = reader.number(UInt64.self), serial < Self.mostSerial,
            let time = reader.number(Int64.self), let kind = reader.number(UInt8.self),
            let content = Self.content(kind, &reader)
        else { return nil }
        (self.serial, bootNanoseconds, self.content) = (serial, time, content)
    }
}

extension SegmentHead {
    private static let magic = Array("SBSPOOL1".utf8)

    func write(to body: inout ByteWriter) {
        body.put(Self.magic)
        body.put(epoch)
        body.put(bootID)
        body.put(utcMicroseconds)
        body.put(UInt8(clamping: streams.count))
        for stream in streams {
            body.put(stream.name)
            body.put(stream.next)
        }
        body.put(UInt8(former == nil ? 0 : 1))
        former?.write(to: &body)
        // Former programs end here, and read no further.
        if let isSynchronized { body.put(UInt8(isSynchronized ? 1 : 0)) }
    }

    init?(_ reader: inout ByteReader) {
        for byte in Self.magic { guard reader.number(UInt8.self) == byte else { return nil } }
        guard let epoch = reader.identity(), let bootID = reader.identity(), let utc = reader.number(Int64.self),
            let count = reader.number(UInt8.self), count <= Record.mostStreams
        else { return nil }
        var streams: [(name: String, next: UInt64)] = []
        for _ in 0..<count {
            guard let name = reader.text(), let next = reader.number(UInt64.self), next > 0, next < UInt64(Int64.max),
                !streams.contains(where: { $0.name == name })
            else { return nil }
            streams.append((name, next))
        }
        self.init(epoch: epoch, bootID: bootID, utcMicroseconds: utc, streams: streams, former: nil)
        if reader.number(UInt8.self) == 1 {
            guard let former = Former(&reader) else { return nil }
            self.former = former
        }
        isSynchronized = reader.number(UInt8.self).map { $0 == 1 }
    }
}

extension SegmentHead.Former {
    fileprivate func write(to body: inout ByteWriter) {
        body.put(epoch)
        body.put(UInt8(clamping: last.count))
        for (name, last) in last.sorted(by: { $0.key < $1.key }) {
            body.put(name)
            body.put(last)
        }
    }

    fileprivate init?(_ reader: inout ByteReader) {
        guard let epoch = reader.identity(), let count = reader.number(UInt8.self), count <= Record.mostStreams
        else { return nil }
        var last: [String: UInt64] = [:]
        for _ in 0..<count {
            guard let name = reader.text(), let number = reader.number(UInt64.self), number < UInt64(Int64.max) else {
                return nil
            }
            last[name] = number
        }
        self.init(epoch: epoch, last: last)
    }
}
