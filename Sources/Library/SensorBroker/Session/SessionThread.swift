internal import BrokerClient
internal import Platform
internal import Synchronization
internal import Varlink

/// The thread of a session: it carries out the hub's actions, waits for sockets and deadlines, and reports to the hub.
///
/// Only this thread uses the sockets and calls listeners, so each listener receives everything in order. Listeners are
/// called without the lock, since they may run user code.
struct SessionThread: ~Copyable {
    private static let wakeToken: UInt64 = 0
    private static let pressureToken: UInt64 = 1
    private static let firstConnectionToken: UInt64 = 2
    private static let firstFeedToken: UInt64 = 1 << 63
    private static let checkNanoseconds: Int64 = 1_000_000_000

    /// The source of memory pressure, in a class of its own so that the loop can hold it.
    private final class Pressure {
        let source: MemoryPressure
        init?() {
            guard let source = try? MemoryPressure.first(of: MemoryPressure.candidates()) else { return nil }
            self.source = source
        }
        func join(_ loop: borrowing EventLoop, token: UInt64) throws(SystemError) {
            try loop.add(source.descriptor, source.interest, token: token)
        }
        /// Reads the notice.
        ///
        /// A source that has ended is removed from the loop, since it stays readable.
        func clear(_ loop: borrowing EventLoop) -> Bool {
            if source.clear() { return true }
            loop.remove(source.descriptor)
            return false
        }
    }

    /// A connection, boxed for a dictionary.
    private final class Line {
        var connection: BrokerConnection
        init(_ connection: consuming BrokerConnection) { self.connection = connection }
    }

    private let core: SessionCore
    private var loop: EventLoop
    private let pressure: Pressure?
    private var lines: [ConnectionID: Line] = [:]
    /// What the program provides, as of the last turn.
    private var feeds: [FeedID: Feed] = [:]
    private var early = EarlyCalls()
    private var ready = ReadyList()
    /// When the checks are due.
    private var checksAt: BootTime?
    /// What came until then has been read.
    ///
    /// A program that was stopped, or got no processor, must not take for silence what waits in its sockets. So it looks
    /// there once more when the time of something is over that should have come.
    private var readUntil = SessionCore.now()

    init(_ core: SessionCore) throws(SystemError) {
        let loop = try EventLoop()
        let pressure = Pressure()
        try loop.add(core.makeWakeEvent(), .read, token: Self.wakeToken)
        try pressure?.join(loop, token: Self.pressureToken)
        self.init(core, loop, pressure)
    }

    private init(_ core: SessionCore, _ loop: consuming EventLoop, _ pressure: Pressure?) {
        self.core = core
        self.pressure = pressure
        self.loop = loop
    }

    /// Runs until nothing needs the session any more.
    mutating func run() {
        while true {
            let (deadline, isEnding) = work()
            guard !isEnding else { return }
            let now = SessionCore.now()
            // A failing wait has nothing to report; deadlines are checked in any case.
            do { try loop.wait(nanoseconds: deadline.map { $0 - now }, into: &ready) } catch { ready.removeAll() }
            var hasReadAll = true
            for event in ready where !act(on: event) { hasReadAll = false }
            if hasReadAll { readUntil = now }
        }
    }

    /// Carries out actions until there are none.
    private mutating func work() -> (deadline: BootTime?, isEnding: Bool) {
        while true {
            for (id, call) in early.due(SessionCore.now()) { open(id, call) }
            let (actions, deadline, isEnding) = core.state.withLock { state in
                state.hub.expire(now: SessionCore.now(), readUntil: readUntil)
                return (state.hub.takeActions(), state.hub.deadline, state.isEnding)
            }
            guard !actions.isEmpty else {
                let others = BootTime.earlier(BootTime.earlier(early.retryAt, check()), notifyObservers())
                return (BootTime.earlier(BootTime.earlier(deadline, others), provide()), isEnding)
            }
            for action in actions { perform(action) }
        }
    }

    /// Does the checks if they are due; returns when they are due next.
    ///
    /// Checks run without the lock, since they may end listeners.
    private mutating func check() -> BootTime? {
        let checks = core.state.withLock { $0.checks }
        let now = SessionCore.now()
        guard !checks.isEmpty else {
            checksAt = nil
            return nil
        }
        if now >= checksAt ?? now + 1 {
            let done = checks.filter { !$0.value() }.keys
            core.state.withLock { state in for id in done { state.checks[id] = nil } }
            checksAt = nil
        }
        checksAt = checksAt ?? now + Self.checkNanoseconds
        return checksAt
    }

    /// Notifies observers of what has changed; returns when to notify them next.
    ///
    /// Observers are notified without the lock, since they may look at once.
    private func notifyObservers() -> BootTime? {
        let (changes, deadline) = core.state.withLock { state in
            guard !state.observers.isEmpty else { return (nil as [Observers.Change]?, nil as BootTime?) }
            return (state.observers.changes(in: state.hub, now: SessionCore.now()), state.observers.deadline)
        }
        for change in changes ?? [] {
            if change.isReading { change.observed.valueHasChanged() }
            if change.isState { change.observed.stateHasChanged() }
            if change.isError { change.observed.errorHasChanged() }
        }
        return deadline
    }

    /// Does what is due of the feeds; returns when something of them is due next.
    private mutating func provide() -> BootTime? {
        let present = core.state.withLock { $0.feeds }
        for (id, feed) in feeds where present[id] == nil { feed.close(loop) }
        feeds = present
        return feeds.reduce(nil) { deadline, entry in
            let due = entry.value.work(
                core.dialer, loop, token: Self.firstFeedToken + UInt64(entry.key.number), now: SessionCore.now(),
                readUntil: readUntil)
            return BootTime.earlier(deadline, due)
        }
    }

    private mutating func perform(_ action: HubAction) {
        switch action {
        case .open(let id, let call): open(id, call)
        case .close(let id): close(id)
        case .send(let listeners, let message):
            let sinks = core.state.withLock { state in listeners.compactMap { state.sinks[$0] } }
            for sink in sinks { sink.take(message) }
        case .end(let listener, let error):
            core.state.withLock { $0.sinks.removeValue(forKey: listener) }?.end(error)
        case .answer(let reader, let result):
            core.state.withLock { $0.readers.removeValue(forKey: reader) }?(result)
        case .list(let waiter, let result):
            core.state.withLock { $0.listers.removeValue(forKey: waiter) }?(result)
        case .announce(let event):
            for follower in core.state.withLock({ Array($0.followers.values) }) { follower.put(event) }
        }
    }

    private mutating func open(_ id: ConnectionID, _ call: Call) {
        do throws(SensorError) {
            let connection = try core.dialer.connect()
            do { try connection.send(call) } catch { throw SensorError(error) }
            do { try loop.add(connection.number, .read, token: Self.firstConnectionToken + UInt64(id.number)) } catch {
                throw .system("\(error)")
            }
            assert(lines[id] == nil, "a connection is opened once")
            lines[id] = Line(connection)
            early.remove(id)
        } catch {
            let patience = core.dialer.patienceNanoseconds
            guard !early.keep(id, call, error, patience: patience, now: SessionCore.now()) else { return }
            lost(id, error)
        }
    }

    private mutating func close(_ id: ConnectionID) {
        early.remove(id)
        guard let line = lines.removeValue(forKey: id) else { return }
        loop.remove(line.connection.number)
    }

    private func lost(_ id: ConnectionID, _ error: SensorError) {
        core.state.withLock { $0.hub.lost(id, error, now: SessionCore.now()) }
    }

    /// Handles an event; false if more of it may be left.
    private mutating func act(on event: ReadyDescriptor) -> Bool {
        switch event.token {
        case Self.wakeToken: core.clearWakeEvent()
        case Self.pressureToken:
            guard pressure?.clear(loop) == true else { return true }
            core.state.withLock { $0.hub.memoryIsShort(now: SessionCore.now()) }
        case Self.firstFeedToken...:
            let id = FeedID(number: Int(truncatingIfNeeded: event.token - Self.firstFeedToken))
            if let feed = feeds[id] { return feed.act(loop, now: SessionCore.now()) }
        default:
            let id = ConnectionID(number: Int(truncatingIfNeeded: event.token - Self.firstConnectionToken))
            if let line = lines[id] { return receive(id, line) }
        }
        return true
    }

    /// Reads what has come, as far as it fits; false if there may be more.
    private mutating func receive(_ id: ConnectionID, _ line: Line) -> Bool {
        do {
            let isAll = try line.connection.receive()
            while let reply = try line.connection.nextReply() {
                core.state.withLock { $0.hub.replied(id, reply, now: SessionCore.now()) }
            }
            return isAll
        } catch {
            close(id)
            lost(id, SensorError(error))
            return true
        }
    }
}
