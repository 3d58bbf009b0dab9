public import Spool
public import Varlink

/// A numbered message, as a consumer reads it; whoever sent it may be hostile.
public struct FleetMessage: Equatable, Sendable {
    /// The end of the epoch before, as far as the host knows.
    public struct Former: Equatable, Sendable {
        /// That epoch.
        public let epoch: Identity
        /// The newest number of that epoch.
        public let last: UInt64
        /// Whether it may have had more, of which the host does not know.
        public let isEndUnknown: Bool
    }

    /// Numbers of an epoch that will never come.
    public struct Lost: Equatable, Sendable {
        /// That epoch.
        public let epoch: Identity
        /// The numbers.
        public let numbers: ClosedRange<UInt64>
        /// Why, in the host's word.
        public let cause: String
    }

    /// The epoch of its number.
    public let epoch: Identity
    /// The message's number.
    public let number: UInt64
    /// Where the epoch before ended; in the first message of an epoch.
    public let former: Former?
    /// Why this epoch began; in its first message.
    public let beginning: BeginCause?
    /// What was not read at the end of the boot before; in the first message of an epoch.
    public let formerGap: FormerGap?
    /// What the message reports as lost.
    public let lost: Lost?
    /// Both clocks of the host.
    public let clock: ClockReading?
    /// The whole object.
    public let object: JSONObject

    /// A line with more values is none of ours, and would take too much memory.
    private static let mostValues = 1 << 20

    /// Parses a line; nil if it is no message.
    public init?(_ line: [UInt8]) {
        guard line.count(where: { $0 == UInt8(ascii: ",") }) < Self.mostValues,
            case .object(let object)? = try? JSONReader.read(line, limits: .replies),
            let epoch = object.identity("epoch"), let number = object.number("number"), number > 0
        else { return nil }
        (self.epoch, self.number, self.object) = (epoch, number, object)
        var (former, beginning, gap): (Former?, BeginCause?, FormerGap?) = (nil, nil, nil)
        if let began = object.object("began") {
            beginning = began.string("cause").flatMap(BeginCause.init(rawValue:))
            if began["previous"] != nil {
                guard let previous = began.identity("previous"), let last = began.number("last") else { return nil }
                former = Former(epoch: previous, last: last, isEndUnknown: began["endUnknown"] == .bool(true))
            }
            gap = began.object("gap").flatMap(FormerGap.init)
        }
        var lost: Lost?
        if let loss = object.object("lost") {
            guard let epoch = loss.identity("epoch"), let from = loss.number("from"), let to = loss.number("to"),
                from > 0, to >= from, let cause = loss.string("cause")
            else { return nil }
            lost = Lost(epoch: epoch, numbers: from...to, cause: Self.causes.contains(cause) ? cause : "other")
        }
        (self.former, self.beginning, formerGap, self.lost) = (former, beginning, gap, lost)
        clock = object.object("clock").flatMap(ClockReading.init)
    }

    /// The elements of a list.
    public func objects(_ key: String) -> [JSONObject] { object.objects(key) }

    private static let causes = Set(Loss.Cause.allCases.map(\.wire))
}

extension ClockReading {
    /// Parses both clocks; nil if something is missing, or the year is none of ours.
    init?(_ object: JSONObject) {
        guard let boot = object.identity("bootId"), let nanoseconds = object.integer("bootNanoseconds"),
            let microseconds = object.integer("utcMicroseconds"),
            nanoseconds >= 0, (0...Self.latestMicroseconds).contains(microseconds)
        else { return nil }
        var isSynchronized: Bool?
        if case .bool(let flag)? = object["synchronized"] { isSynchronized = flag }
        self.init(
            bootID: boot,
            moment: Moment(
                bootNanoseconds: nanoseconds, utcMicroseconds: microseconds, isSynchronized: isSynchronized))
    }

    /// The year 2262, as far as nanoseconds in 64 bits reach.
    private static let latestMicroseconds: Int64 = .max / 1_000
}

/// The status of a host.
public struct HostReport: Equatable, Sendable {
    /// Whether its program runs.
    public let state: HostState
    /// The epoch of its numbers.
    public let epoch: Identity
    /// The newest number of each stream; none if the server reports that the host is lost.
    public let streams: [StreamStatus]
    /// Both clocks of the host.
    public let clock: ClockReading?
    /// How many messages wait in its spool; nil: it does not report that.
    public let backlog: UInt64?
    /// For how long it keeps what has arrived; nil: it does not report that.
    public let keepsNanoseconds: Int64?

    /// A host has no more streams.
    static let mostStreams = 64

    /// Parses a status; nil if it is none.
    public init?(_ payload: [UInt8]) {
        guard payload.count <= 1 << 16, case .object(let object)? = try? JSONReader.read(payload, limits: .replies),
            let state = object.string("state").flatMap(HostState.init(rawValue:)),
            let epoch = object.identity("epoch")
        else { return nil }
        var streams: [StreamStatus] = []
        if let members = object.object("streams") {
            guard members.members.count <= Self.mostStreams else { return nil }
            for member in members.members {
                guard case .object(let numbers) = member.value, WantedReading.isResource(member.key),
                    let last = numbers.number("last")
                else { return nil }
                streams.append(StreamStatus(name: member.key, last: last, oldest: numbers.number("oldest")))
            }
        }
        (self.state, self.epoch, self.streams) = (state, epoch, streams)
        backlog = object.number("backlog")
        keepsNanoseconds = object.integer("keepAcknowledgedNanoseconds").map { max(0, $0) }
        clock = object.object("clock").flatMap(ClockReading.init)
    }
}

extension JSONObject {
    /// The identity under a key.
    public func identity(_ key: String) -> Identity? { string(key).flatMap { Identity(text: $0) } }

    /// The number under a key.
    fileprivate func number(_ key: String) -> UInt64? {
        guard let number = integer(key), number < .max else { return nil }
        return UInt64(exactly: number)
    }
}
