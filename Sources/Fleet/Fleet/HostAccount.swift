internal import Spool

/// What a consumer has of one host: of each epoch and stream.
///
/// A host may be hostile: it gets a bounded share of memory, and what exceeds that is reported and proves nothing.
struct HostAccount {
    struct EpochAccount {
        var streams: [String: StreamAccount] = [:]
        /// Whether a message came at its time, or a status: then it is not an old one.
        var isLive = false
        var beginning: BeginCause?
        /// The epochs before, as its streams name them.
        var formers: Set<Identity> = []

        /// Whether the ends of its streams are known, and all up to these came or was reported as lost.
        var isWhole: Bool { streams.values.allSatisfy(\.isWhole) }
    }

    private(set) var presence = HostPresence()
    /// Whether it has reported its numbers since we listen.
    private var hasReported = false
    private(set) var unreadable: UInt64 = 0
    /// The newest state that it, or the server, reported.
    var state: HostState? { presence.state }
    /// Whether it is online, as far as anybody reported, but has not reported its numbers since we listen.
    var isSilent: Bool { state == .online && !hasReported || state == nil }
    /// Whether more came than can be kept account of.
    private(set) var isOverrun = false
    private(set) var entries = 0
    private(set) var epochs: [Identity: EpochAccount] = [:]
    /// Epochs that are over and whole: nothing else is known of them any more.
    private var closed: Set<Identity> = []
    /// How often room is to be looked for until epochs may be closed, for which all are looked at.
    private var untilClosing = 0
    /// The epoch that had begun before we listened.
    private var epochAtJoining: Identity?
    /// Epochs of which a recording has everything up to some number.
    private var resumed: Set<Identity> = []
    private var isKnown = false
    private var isFrozen = false
    /// The epoch of what came last at its time.
    private var current: Identity?
    /// The epochs of which everything is expected, as they were when something missing was last looked for; nil: there may be others.
    private var begun: Set<Identity>?
    /// The epochs of which something may be missing: those to which something happened since then, and those of which something was.
    private var unsettled: Set<Identity> = []

    static let mostEntries = 20_000
    private static let leastUntilClosing = 256

    mutating func take(_ report: HostReport, isRetained: Bool, _ wants: (String) -> Bool) {
        if !isKnown, isRetained { (epochAtJoining, begun) = (report.epoch, nil) }
        isKnown = true
        presence.take(report)
        let isFresh = !isRetained && report.state != .lost
        hasReported = hasReported || isFresh
        guard !isFrozen, makeCurrent(report.epoch) else { return }
        for stream in report.streams where wants(stream.name) {
            update(report.epoch, stream.name) { account in
                account.reach(stream.last)
                if isFresh { account.begin(after: stream.last) }
                if report.state == .offline { account.endInOrder() }
            }
        }
    }

    /// Takes a message; false if it came before, or cannot be kept account of.
    mutating func take(_ message: FleetMessage, of resource: String, isLate: Bool) -> Bool {
        isKnown = true
        presence.countMessage()
        if !isLate, !makeCurrent(message.epoch) { return false }
        var isNew = false
        let isFrozen = isFrozen
        let isOpen = update(message.epoch, resource) { account in
            isNew = account.arrive(message.number, isLate: isLate)
            if isNew { account.count(gaps: message.objects("gaps").count) }
            if !isFrozen { account.reach(message.number) }
        }
        guard isOpen else { return false }
        if let beginning = message.beginning { epochs[message.epoch]?.beginning = beginning }
        if let former = message.former {
            let isOpen = update(former.epoch, resource) { account in
                if !isFrozen { account.reach(former.last) }
                account.end(former)
            }
            if isOpen, epochs[message.epoch]?.formers.insert(former.epoch).inserted == true { begun = nil }
        }
        if let lost = message.lost { update(lost.epoch, resource) { $0.lose(lost.numbers, lost.cause) } }
        return isNew
    }

    mutating func expectReport() { hasReported = false }

    mutating func resume(_ epoch: Identity, _ resource: String, _ numbers: NumberSet, after last: UInt64?) {
        update(epoch, resource) { $0.resume(numbers, after: last) }
        if last != nil { resumed.insert(epoch) }
        begun = nil
    }

    mutating func countUnreadable() { unreadable += 1 }

    /// What is still to be measured is not asked for any more.
    mutating func freeze() { isFrozen = true }

    /// Something of this epoch came at its time; false if there is no room for it.
    private mutating func makeCurrent(_ epoch: Identity) -> Bool {
        guard makeRoom(for: epoch) else { return false }
        if epochs[epoch]?.isLive == false { begun = nil }
        epochs[epoch]?.isLive = true
        current = epoch
        return true
    }

    private mutating func makeRoom(for epoch: Identity) -> Bool {
        if epochs[epoch] != nil { return true }
        guard hasRoom(4, for: epoch) else { return false }
        entries += 4
        epochs[epoch] = EpochAccount()
        begun = nil
        return true
    }

    /// Whether so many entries more can be kept account of; what comes of a closed epoch came before.
    private mutating func hasRoom(_ count: Int, for epoch: Identity) -> Bool {
        guard !closed.contains(epoch) else { return false }
        untilClosing -= 1
        if entries + count > Self.mostEntries, untilClosing <= 0 {
            close(besides: epoch)
            untilClosing = Self.leastUntilClosing
        }
        let hasRoom = entries + count <= Self.mostEntries
        isOverrun = isOverrun || !hasRoom
        return hasRoom
    }

    /// Closes what can be: a host that starts several times a day has hundreds of epochs in a year.
    ///
    /// Of the epoch before the present one it may still be asked why something of it did not come.
    private mutating func close(besides epoch: Identity) {
        let recent = (current.flatMap { epochs[$0]?.formers } ?? []).union([current, epoch].compactMap(\.self))
        for (identity, account) in epochs where !recent.contains(identity) && account.isWhole {
            // Through it alone it may be known of another one that all of it is expected.
            guard account.formers.allSatisfy({ epochs[$0]?.isLive ?? true }) else { continue }
            entries -= 3 + account.streams.values.reduce(0) { $0 + $1.entries }
            epochs[identity] = nil
            unsettled.remove(identity)
            closed.insert(identity)
        }
        assert(entries >= 0, "no room is given back twice")
    }

    @discardableResult
    private mutating func update(_ epoch: Identity, _ resource: String, _ change: (inout StreamAccount) -> Void) -> Bool
    {
        let room = epochs[epoch]?.streams[resource] == nil ? 8 : 2
        guard hasRoom(room, for: epoch), makeRoom(for: epoch) else { return false }
        // Taken out, so that it is changed in place.
        var account = epochs[epoch]?.streams.removeValue(forKey: resource)
        entries -= account?.entries ?? 0
        assert(entries >= 0, "no room is given back twice")
        var changed = account.take() ?? StreamAccount()
        change(&changed)
        entries += changed.entries
        epochs[epoch]?.streams[resource] = changed
        unsettled.insert(epoch)
        return true
    }

    /// What is missing and was not reported as lost: only epochs are looked at to which something happened since the last time, unless
    /// something else is expected now.
    mutating func findMissing(of name: String, since start: FleetAccount.Start) -> [Missing] {
        if begun == nil { unsettled = Set(epochs.keys) }
        let begun = begun ?? begun(since: start)
        self.begun = begun
        let missing = missing(of: name, in: unsettled, begun)
        unsettled = Set(missing.map(\.epoch))
        return missing
    }

    /// What of some epochs is missing and was not reported as lost.
    func missing(of name: String, in some: some Sequence<Identity>, _ begun: Set<Identity>) -> [Missing] {
        some.sorted().flatMap { epoch in
            (epochs[epoch]?.streams ?? [:]).sorted { $0.key < $1.key }.compactMap { resource, stream in
                guard let first = first(of: stream, in: epoch, begun) else { return nil }
                let ranges = stream.missing(from: first)
                return ranges.isEmpty
                    ? nil
                    : Missing(host: name, epoch: epoch, resource: resource, ranges: ranges, presence: presence)
            }
        }
    }

    /// The number from which on each one is expected; nil if that is unknown.
    func first(of stream: StreamAccount, in epoch: Identity, _ begun: Set<Identity>) -> UInt64? {
        if begun.contains(epoch) { return 1 }
        guard epoch == epochAtJoining || resumed.contains(epoch) else { return nil }
        return stream.firstLive ?? stream.firstReported
    }

    /// The epochs that began since we listen, or all: of each, everything is expected.
    ///
    /// One of which something came at its time, and is not the one before we came, began since; and so did the one
    /// before it.
    func begun(since start: FleetAccount.Start) -> Set<Identity> {
        if start == .beginning { return Set(epochs.keys) }
        // What a recording that is continued has nothing of began after it ended.
        let epochAtJoining = resumed.isEmpty || epochAtJoining.map(resumed.contains) ?? false ? epochAtJoining : nil
        var begun = Set(epochs.filter { $0.value.isLive && $0.key != epochAtJoining }.keys)
        var rest = Array(begun)
        while let epoch = rest.popLast() {
            for former in epochs[epoch]?.formers ?? [] where former != epochAtJoining {
                if begun.insert(former).inserted { rest.append(former) }
            }
        }
        return begun
    }

    /// Why it is not proved that a stream of an epoch is complete; nil: there is no doubt.
    ///
    /// Of each stream by itself: another one may go on in the next epoch while this one is left out.
    func doubt(of stream: StreamAccount, in epoch: Identity) -> StreamDoubt? {
        let isOver = epoch != current && epochs[epoch]?.isLive ?? false
        return stream.doubt ?? (isOver && stream.lacksEnd ? .unreported : nil)
    }

    /// Whether it has not reported where some stream of an epoch that is over ended.
    var lacksEnds: Bool {
        epochs.contains { epoch, account in
            account.streams.values.contains { doubt(of: $0, in: epoch) == .unreported }
        }
    }
}
