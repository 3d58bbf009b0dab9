internal import Fleet
internal import Spool
internal import Varlink

/// Up to where each stream is known, by what is in the spool when it is opened: what comes next was not read.
///
/// Each message is looked at as it is found, the oldest first. Few are parsed: of those with readings or gaps, which are
/// nearly all, the newest alone.
struct KnownEnds {
    /// An instant by the clock of a boot.
    private struct Instant {
        let bootID: Identity
        let nanoseconds: Int64
    }

    private struct Stream {
        /// Without readings or gaps: before the oldest message that is there, nothing is known.
        var known: Instant
        /// Messages that may show more, the newest last.
        var messages: [(message: SpooledMessage, bootID: Identity)] = []
    }

    private var streams: [String: Stream] = [:]
    /// When the newest message of each boot was written, and the UTC of that.
    private var newest: [Identity: Moment] = [:]

    /// How messages with readings or gaps begin, but for a few.
    private static let usual = ["\"readings\"", "\"gaps\""].map { Array($0.utf8) }
    /// A group may have neither readings nor gaps, but not so many.
    private static let mostGroups = 64
    /// Before this, a clock was not set. 2020
    private static let earliestUTC: Int64 = 1_577_836_800_000_000
    /// That a host was off for longer is not believed of a clock without a reference. 30 days
    private static let longestMicroseconds: Int64 = 30 * 86_400_000_000

    /// Takes the next message of the spool.
    mutating func take(_ message: SpooledMessage, _ bootID: Identity, _ utcMicroseconds: Int64) {
        newest[bootID] = Moment(bootNanoseconds: message.bootNanoseconds, utcMicroseconds: utcMicroseconds)
        var stream =
            streams.removeValue(forKey: message.stream)
            ?? Stream(known: Instant(bootID: bootID, nanoseconds: message.bootNanoseconds))
        switch message.message.form {
        case .loss: break
        case .group:
            if stream.messages.count == Self.mostGroups { stream.messages.removeFirst() }
            stream.messages.append((message, bootID))
        case .members:
            let isUsual = Self.usual.contains { message.message.payload.starts(with: $0) }
            if isUsual || Self.end(of: message, bootID) != nil { stream.messages = [(message, bootID)] }
        }
        streams[message.stream] = stream
    }

    /// What of a stream was not read before now: in this boot, and in the one before.
    func gap(
        of stream: String, _ beginning: BeginCause, _ bootID: Identity, _ now: Moment
    ) -> (here: BridgeGap?, former: FormerGap?) {
        guard let cause = BridgeGap.Cause(beginning), let stream = streams[stream] else { return (nil, nil) }
        let known = stream.messages.reversed().lazy.compactMap { Self.end(of: $0.message, $0.bootID) }.first
        let end = known ?? stream.known
        guard end.bootID != bootID else { return (BridgeGap(cause, since: end.nanoseconds), nil) }
        // A spool may have any number.
        let since = min(end.nanoseconds, .max - 1)
        let former = FormerGap(
            bootID: end.bootID, BridgeGap(cause, since: since),
            until: self.end(of: end.bootID, now).map { max($0, since + 1) })
        // The clock of this boot began with 0.
        return (BridgeGap(cause, since: 0), former)
    }

    /// About when a boot ended, by its own clock: when the next one began; nil if UTC was not set, went back, or may be years
    /// ahead.
    private func end(of bootID: Identity, _ now: Moment) -> Int64? {
        guard let newest = newest[bootID] else { return nil }
        let next = now.utcMicroseconds - now.bootNanoseconds / 1_000
        guard newest.utcMicroseconds > Self.earliestUTC, next > newest.utcMicroseconds else { return nil }
        let difference = next - newest.utcMicroseconds
        guard now.isSynchronized != false || difference <= Self.longestMicroseconds else { return nil }
        let (off, overflow) = difference.multipliedReportingOverflow(by: 1_000)
        let (end, isTooLate) = newest.bootNanoseconds.addingReportingOverflow(off)
        return overflow || isTooLate ? nil : end
    }

    /// Up to where its stream is known by a message; nil if it is not.
    private static func end(of message: SpooledMessage, _ bootID: Identity) -> Instant? {
        let lines =
            message.message.form == .group ? GroupFrame.lines(of: message.message.payload) : Wire.payload(message)
        for line in (lines ?? []).split(separator: UInt8(ascii: "\n")).reversed() {
            guard case .object(let object)? = try? JSONReader.read(Array(line), limits: .replies) else { continue }
            if let span = MessageSpan(object) { return Instant(bootID: bootID, nanoseconds: span.last) }
            // What was before that is gone, or will be.
            if let known = object.object("began")?.integer("knownNanoseconds") {
                return Instant(bootID: bootID, nanoseconds: known)
            }
        }
        return nil
    }
}
