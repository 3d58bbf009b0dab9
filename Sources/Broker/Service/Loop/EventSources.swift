internal import Delivery
internal import Platform
internal import Readings

/// Descriptors other than clients' sockets (devices, listening sockets, signals), each with the closure to run when it
/// is ready.
final class EventSources {
    private struct Source {
        let number: Int32
        /// nil: no longer watched.
        ///
        /// Its index is not another's before it is free, since epoll identifies sources by their indices.
        let act: ((BootTime) -> Void)?
    }

    private let poller: Poller
    private let clock: () -> BootTime
    // Each turn of the loop reads this, so it is only assigned (`Array.adding`).
    private var sources: [Source] = []
    /// The indices of the sources that are ready in this turn, in storage that is reused.
    private var ready: [Int] = []
    private var turns = SourceTurns()

    init(_ poller: Poller, clock: @escaping () -> BootTime) throws(SystemError) {
        self.poller = poller
        self.clock = clock
        try watch(poller.timerDescriptor, for: .read) { _ in poller.didWake() }
    }

    func watch(
        _ number: Int32, for interest: EventLoop.Interest, _ act: @escaping (BootTime) -> Void
    ) throws(SystemError) {
        // The slot of one that is no longer watched, if there is any: programs come and go.
        let free = sources.firstIndex { $0.act == nil }
        try poller.add(number, interest, for: .source(free ?? sources.count))
        let source = Source(number: number, act: act)
        sources = free.map { sources.replacing(at: $0, with: source) } ?? sources.adding(source)
    }

    func unwatch(_ number: Int32) {
        guard let index = index(of: number) else { return }
        poller.remove(number)
        sources = sources.replacing(at: index, with: Source(number: number, act: nil))
    }

    /// Stops watching a descriptor until `resume`.
    func pause(_ number: Int32) { poller.remove(number) }

    /// Watches a paused descriptor again, even if an earlier attempt failed half-way.
    func resume(_ number: Int32) throws(SystemError) {
        guard let index = index(of: number) else { return }
        poller.remove(number)
        try poller.add(number, .read, for: .source(index))
    }

    /// Watches another descriptor instead of a closed one; it is paused.
    func replace(_ number: Int32, with other: Int32) {
        guard let index = index(of: number) else { return }
        sources = sources.replacing(at: index, with: Source(number: other, act: sources[index].act))
    }

    /// Runs the closures of ready sources, as many as there is time for; returns how many were ready.
    ///
    /// The others are still ready in the next turn.
    func act(on list: ReadyList, _ now: BootTime) -> Int {
        ready.removeAll(keepingCapacity: true)
        for event in list {
            if case .source(let index) = Awaited(event.token) { ready.append(index) }
        }
        guard !ready.isEmpty else { return 0 }
        assert(Set(ready).count == ready.count && ready.allSatisfy(sources.indices.contains), "a token names no source")
        turns.order(&ready, now: now)
        let begin = clock()
        var reached = begin
        for index in ready {
            guard reached - begin < Limits.sourceTurnNanoseconds else { break }
            sources[index].act?(now)
            let end = clock()
            turns.didServe(index, nanoseconds: end - reached)
            reached = end
        }
        return ready.count
    }

    /// How many slots there are, watched or not.
    var count: Int { sources.count }

    func removeAll() { sources = [] }

    private func index(of number: Int32) -> Int? { sources.lastIndex { $0.number == number && $0.act != nil } }
}

/// Which of the ready sources are served in a turn of the loop, and in which order.
///
/// A device's samples may go to one client or to a thousand, so one source takes microseconds and another milliseconds.
/// The sources that took least time when last served come first, and when a turn has taken long enough, the others wait
/// for the next one, in which the quick sources may be ready again: no stream waits for all the others. A waiting
/// source moves forward by as much as it has waited, so each one is served. Pure: time is an argument.
struct SourceTurns {
    private struct Account {
        /// How long it took when it was last served.
        var nanoseconds: Int64 = 0
        /// Since when it has been ready without being served.
        var waitsSince: BootTime?
    }

    private var accounts: [Account] = []

    /// The sources in the order in which they are to be served.
    mutating func order(_ ready: inout [Int], now: BootTime) {
        for source in ready {
            while accounts.count <= source { accounts.append(Account()) }
            if accounts[source].waitsSince == nil { accounts[source].waitsSince = now }
        }
        guard ready.count > 1 else { return }
        let accounts = accounts
        func rank(_ source: Int) -> Int64 {
            accounts[source].nanoseconds - (now - (accounts[source].waitsSince ?? now))
        }
        ready.sort { (rank($0), $0) < (rank($1), $1) }
    }

    /// A source was served and took this long.
    mutating func didServe(_ source: Int, nanoseconds: Int64) {
        accounts[source] = Account(nanoseconds: nanoseconds)
    }
}
