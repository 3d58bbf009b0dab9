public import Spool
public import Varlink

/// The texts that are published.
///
/// Nothing that is needed is in properties of MQTT, so that they mean the same in a file or a database.
public enum Wire {
    /// A message of one number: `{"epoch":…,"number":…,` and its members.
    public static func object(epoch: Identity, number: UInt64, members: some Collection<UInt8>) -> [UInt8] {
        var writer = JSONWriter(capacity: members.count + 80)
        writer.beginObject()
        writer.member("epoch", epoch.description)
        writer.member("number", number)
        writer.raw(members)
        writer.endObject()
        return writer.bytes
    }

    /// The payload of a message in the spool: an object, or for a group what was spooled.
    public static func payload(_ spooled: SpooledMessage) -> [UInt8] {
        let message = spooled.message
        switch message.form {
        case .group: return message.payload
        case .members: return object(epoch: spooled.epoch, number: message.number, members: message.payload)
        case .loss(let loss): return object(epoch: spooled.epoch, number: message.number, members: members(of: loss))
        }
    }

    private static func members(of loss: Loss) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject("lost")
        writer.member("epoch", loss.epoch.description)
        writer.member("from", loss.numbers.lowerBound)
        writer.member("to", loss.numbers.upperBound)
        writer.member("cause", loss.cause.wire)
        writer.endObject()
        return writer.bytes
    }

    /// Readings and gaps of a reply as the broker wrote them; nil if the reply has to be read.
    ///
    /// Nearly all are of this form, and to read their numbers would cost more than all the rest.
    public static func members(handingOn reply: [UInt8]) -> [UInt8]? {
        let begin = "{\"parameters\":".utf8
        guard reply.starts(with: begin), let parameters = CompactObject(in: reply, at: begin.count),
            reply[parameters.end...].elementsEqual(",\"continues\":true}".utf8)
        else { return nil }
        var names = ["readings", "gaps"]
        for member in parameters.members {
            guard let index = names.firstIndex(where: { $0.utf8.elementsEqual(reply[member.key]) }),
                reply[member.value.lowerBound] == UInt8(ascii: "["), member.value.count > 2
            else { return nil }
            names.remove(at: index)
        }
        guard !parameters.members.isEmpty else { return nil }
        return Array(reply[begin.count + 1..<parameters.end - 1])
    }

    /// The members of the broker's reply that are for consumers; nil if there are none.
    public static func members(of reply: JSONObject) -> [UInt8]? {
        var writer = JSONWriter()
        for member in reply.members where ["readings", "gaps", "resources", "grants"].contains(member.key) {
            guard case .array(let elements) = member.value, !elements.isEmpty else { continue }
            writer.key(escaping: member.key)
            writer.value(member.value)
        }
        return writer.bytes.isEmpty ? nil : writer.bytes
    }

    /// A gap that this program reports, up to an instant after which the stream is known; nil if nothing is between.
    public static func gap(_ gap: BridgeGap, of resource: String, until: Int64) -> [UInt8]? {
        guard gap.since < until else { return nil }
        var writer = JSONWriter()
        writer.key("gaps")
        writer.value([
            [
                "resource": .string(resource), "cause": .string(gap.cause.rawValue),
                "fromNanoseconds": .integer(gap.since + 1), "untilNanoseconds": .integer(until),
            ]
        ])
        return writer.bytes
    }

    /// The relation of both clocks.
    public static func clock(_ clock: ClockReading) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject("clock")
        writer.member("bootId", clock.bootID.description)
        writer.member("bootNanoseconds", clock.moment.bootNanoseconds)
        writer.member("utcMicroseconds", clock.moment.utcMicroseconds)
        writer.member("synchronized", clock.moment.isSynchronized)
        writer.endObject()
        return writer.bytes
    }

    /// The first message of a stream in an epoch: what was before it, up to where it is known in this boot, and the clocks.
    public static func began(
        _ cause: BeginCause, after end: (epoch: Identity, last: UInt64, isUnknown: Bool)?, _ gap: FormerGap?,
        known: Int64?, _ clock: ClockReading
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject("began")
        if let end {
            writer.member("previous", end.epoch.description)
            writer.member("last", end.last)
            if end.isUnknown { writer.member("endUnknown", true) }
        }
        writer.member("cause", cause.rawValue)
        if let gap {
            writer.key("gap")
            writer.value(.object(gap.object()))
        }
        writer.member("knownNanoseconds", known)
        writer.endObject()
        writer.raw(Self.clock(clock))
        return writer.bytes
    }

    /// The status of the host, retained, with both clocks: so who comes in the middle of an epoch knows UTC at once.
    public static func status(
        _ state: HostState, epoch: Identity, streams: [StreamStatus], clock: ClockReading? = nil,
        backlog: UInt64? = nil, keepsNanoseconds: Int64? = nil
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("state", state.rawValue)
        writer.member("epoch", epoch.description)
        if state != .lost {
            writer.beginObject("streams")
            for stream in streams {
                writer.key(escaping: stream.name)
                writer.beginObject()
                writer.member("last", stream.last)
                writer.member("oldest", stream.oldest)
                writer.endObject()
            }
            writer.endObject()
        }
        if let clock { writer.raw(Self.clock(clock)) }
        writer.member("backlog", backlog)
        writer.member("keepAcknowledgedNanoseconds", keepsNanoseconds)
        writer.endObject()
        return writer.bytes
    }
}

/// Whether the host's program runs.
public enum HostState: String, Sendable {
    /// The host is connected.
    case online
    /// The bridge ended in order.
    case offline
    /// The server lost it, and reports this itself.
    case lost
}

/// What the status states of a stream.
public struct StreamStatus: Equatable, Sendable {
    /// The stream's name.
    public let name: String
    /// The stream's newest number.
    public let last: UInt64
    /// The oldest number of this epoch that can be asked for.
    public let oldest: UInt64?

    /// The numbers of a stream.
    public init(name: String, last: UInt64, oldest: UInt64?) {
        self.name = name
        self.last = last
        self.oldest = oldest
    }
}

/// Why an epoch began.
public enum BeginCause: String, Sendable {
    /// There was none before.
    case first
    /// The program was stopped in order, and started again.
    case restart
    /// The program ended without an order to.
    case crash
    /// The host ended without an order to: what was not written down yet is lost.
    case powerLoss

    /// The cause, by what was found in the spool.
    public init(_ recovery: SpoolRecovery, bootID: Identity) {
        if recovery.epoch == nil {
            self = .first
        } else if recovery.hasEnd {
            self = .restart
        } else {
            self = recovery.bootID == bootID ? .crash : .powerLoss
        }
    }
}

extension Loss.Cause {
    /// The cause's name on the wire.
    public var wire: String { String(describing: self) }
}
