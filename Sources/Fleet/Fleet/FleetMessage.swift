package import Spool
package import Varlink

/// A numbered message, as a consumer reads it; whoever sent it may be hostile.
package struct FleetMessage: Equatable, Sendable {
    /// The end of the epoch before, as far as the host knows.
    package struct Former: Equatable, Sendable {
        package let epoch: Identity
        package let last: UInt64
        /// Whether it may have had more, of which the host does not know.
        package let isEndUnknown: Bool
    }

    /// Numbers of an epoch that will never come.
    package struct Lost: Equatable, Sendable {
        package let epoch: Identity
        package let numbers: ClosedRange<UInt64>
        /// Why, in the host's word.
        package let cause: String
    }

    package let epoch: Identity
    package let number: UInt64
    /// Where the epoch before ended; in the first message of an epoch.
    package let former: Former?
    /// Why this epoch began; in its first message.
    package let beginning: BeginCause?
    /// What was not read at the end of the boot before; in the first message of an epoch.
    package let formerGap: FormerGap?
    package let lost: Lost?
    package let clock: ClockReading?
    package let object: JSONObject

    /// A line with more values is none of ours, and would take too much memory.
    private static let mostValues = 1 << 20

    /// Parses a line; nil if it is no message.
    package init?(_ line: [UInt8]) {
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

    package func objects(_ key: String) -> [JSONObject] { object.objects(key) }

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
package struct HostReport: Equatable, Sendable {
    /// Whether its program runs.
    package let state: HostState
    package let epoch: Identity
    /// The newest number of each stream; none if the server reports that the host is lost.
    package let streams: [StreamStatus]
    package let clock: ClockReading?
    /// How many messages wait in its spool; nil: it does not report that.
    package let backlog: UInt64?
    /// For how long it keeps what has arrived; nil: it does not report that.
    package let keepsNanoseconds: Int64?

    /// A host has no more streams.
    static let mostStreams = 64

    /// Parses a status; nil if it is none.
    package init?(_ payload: [UInt8]) {
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
    package func identity(_ key: String) -> Identity? { string(key).flatMap { Identity(text: $0) } }

    /// The number under a key.
    fileprivate func number(_ key: String) -> UInt64? {
        guard let number = integer(key), number < .max else { return nil }
        return UInt64(exactly: number)
    }
}
