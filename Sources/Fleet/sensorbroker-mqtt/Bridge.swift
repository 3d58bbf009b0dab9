internal import MQTT
internal import Platform
internal import Printable
internal import Spool

/// The broker's replies go into the spool, and what is in the spool goes to the server.
final class Bridge {
    private let writer: SpoolWriter
    private let uplink: Uplink
    private let subscriptions: Subscriptions
    private var losses: LossJournal
    private var watched: (generation: Int, interest: EventLoop.Interest)?

    /// The token of the server's socket in the loop.
    private static let server: UInt64 = 3

    init(_ writer: SpoolWriter, _ uplink: Uplink, _ subscriptions: Subscriptions, _ journal: Journal) {
        self.writer = writer
        self.uplink = uplink
        self.subscriptions = subscriptions
        losses = LossJournal(journal, writer)
    }

    /// The state in a line.
    var summary: String { uplink.summary }

    /// Whether what comes can leave without an answer of the server.
    var isRoomy: Bool { uplink.isRoomy }

    /// Does all that is due; when to be called again.
    func turn(_ now: Moment, _ loop: inout EventLoop, _ ready: ReadyList) throws(SystemError) -> Int64 {
        var wake = now.bootNanoseconds + 60 * Nanoseconds.second
        wake = min(wake, try subscriptions.turn(now, &loop, ready))
        wake = min(wake, writer.turn(now))
        wake = min(wake, uplink.turn(now, isReadable: ready.contains { $0.token == Self.server }))
        try watchServer(&loop)
        losses.turn(now.bootNanoseconds)
        return wake
    }

    /// The end has come: asks the broker for what it has gathered so far.
    func drain() { subscriptions.drain() }

    /// Whether nothing more is to come of that.
    var hasDrained: Bool { subscriptions.hasDrained }

    /// Disconnects from the server, and writes everything down.
    func close(_ now: Moment) {
        uplink.close(now)
        writer.close(now)
    }

    /// The kernel forgets a socket when it is closed.
    private func watchServer(_ loop: inout EventLoop) throws(SystemError) {
        let link = uplink.link
        guard let socket = link.socket else {
            watched = nil
            return
        }
        let interest: EventLoop.Interest = link.wantsToWrite ? [.read, .write] : .read
        if watched?.generation != link.generation {
            try loop.add(socket, interest, token: Self.server)
        } else if watched?.interest != interest {
            try loop.change(socket, interest, token: Self.server)
        }
        watched = (link.generation, interest)
    }
}

/// Logs for the administrator what is lost, and what the disk does not take.
private struct LossJournal {
    private let journal: Journal
    private let writer: SpoolWriter
    private var loggedFailures: UInt64
    private var failure: DiskFailure?
    private var failureDue: Int64 = 0
    private var loggedLosses: UInt64
    private var lossesDue: Int64 = 0

    private static let spacingNanoseconds = 60 * Nanoseconds.second

    /// Begins with what was found lost, which is logged as damage.
    init(_ journal: Journal, _ writer: SpoolWriter) {
        self.journal = journal
        self.writer = writer
        loggedLosses = writer.foundLost
        loggedFailures = 0
        let recovery = writer.spool.recovery
        guard recovery.damagedBytes > 0 else { return }
        let consequence =
            recovery.hasUnknownEnd
            ? "where the former epoch ended is not known, which is reported to consumers"
            : "which numbers are lost is reported to consumers"
        journal.write(
            .warning, "the spool was damaged, \(recovery.damagedBytes.counted("byte")) of it; \(consequence)",
            .fleetLost, [.reason: "the disk did not return what was written"])
    }

    /// Logs failures and losses once a minute each, with their number.
    mutating func turn(_ now: Int64) {
        failure = writer.takeFailure() ?? failure
        if let failure, now >= failureDue {
            let count = writer.spool.failures - loggedFailures
            let remedy = failure.isFull ? "; make room, or write a smaller MaxBytes= under [Spool]" : ""
            let more = count > 1 ? " (\(count) times)" : ""
            journal.write(.error, "the spool: \(failure)\(more)\(remedy)")
            loggedFailures += count
            self.failure = nil
            failureDue = now + Self.spacingNanoseconds
        }
        let lost = writer.spool.lostNumbers
        guard lost > loggedLosses, now >= lossesDue else { return }
        journal.write(
            .warning, "\((lost - loggedLosses).counted("message")) lost; their numbers are reported to consumers",
            .fleetLost,
            [.reason: "too old, no room in the spool or on its disk, or too large for the server"])
        loggedLosses = lost
        lossesDue = now + Self.spacingNanoseconds
    }
}
