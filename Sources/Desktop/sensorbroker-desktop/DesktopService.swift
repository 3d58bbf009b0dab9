internal import Platform
internal import Programs

/// Serves `net.hadess.SensorProxy`: carries events between bus, broker and `SensorProxy`, which decides.
///
/// One thread, and no timer while nothing is to be done: with no claim it sleeps until the list of resources changes.
final class DesktopService {
    private enum Token {
        static let bus: UInt64 = 0
        static let signals: UInt64 = 1
        /// And all after it.
        static let broker: UInt64 = 2
    }

    private var loop: EventLoop
    private let signals: Signals
    private let bus: BusConnection
    private var broker: BrokerStreams
    private var proxy: SensorProxy
    private var callers = Callers()
    private var calls = HeldCalls()
    private let claimFile = ClaimFile()
    /// Why the bus did not give us the name; nil: it gave it, or has not answered.
    private var nameFailure: String?

    /// A service of the broker at the first of these paths.
    init(paths: [String]) throws(SystemError) {
        let journal = Journal(program: Program.name)
        loop = try EventLoop()
        signals = try Signals()
        bus = BusConnection(journal, token: Token.bus)
        broker = BrokerStreams(paths: paths, firstToken: Token.broker, journal)
        proxy = SensorProxy(now: Clock.bootNanoseconds())
        try loop.add(signals.number, .read, token: Token.signals)
    }

    /// Serves until it is ordered to stop.
    func run() throws -> ExitStatus {
        var ready = ReadyList()
        while true {
            let now = Clock.bootNanoseconds()
            keepBus(now)
            broker.connect(loop, &proxy, now)
            proxy.expire(now: now)
            try carryOut()
            try loop.wait(nanoseconds: nextWait(), into: &ready)
            for event in ready {
                switch event.token {
                case Token.bus: bus.noteReadiness()
                case Token.signals: if case .stop = signals.take() { return .done }
                default: broker.read(event.token, &proxy, Clock.bootNanoseconds())
                }
            }
            processBus()
            try carryOut()
        }
    }

    /// How long there is nothing to do but wait; nil: for ever.
    private func nextWait() -> Int64? {
        guard !bus.hasMoreMessages else { return 0 }
        let now = Clock.bootNanoseconds()
        let instants = [broker.deadlineNanoseconds, proxy.deadlineNanoseconds, bus.retryNanoseconds]
        bus.updateInterest(loop)
        let waits = [instants.compactMap(\.self).min().map { max(0, $0 - now) }, bus.waitNanoseconds]
        return waits.compactMap(\.self).min()
    }

    // MARK: the bus

    /// Connects to the bus, if it is time for that, and asks for the name as soon as properties have values.
    private func keepBus(_ now: Int64) {
        if let instant = bus.retryNanoseconds, now >= instant {
            do { try bus.open(loop) { [unowned self] name in proxy.value(of: name) } } catch { loseBus("\(error)") }
            processBus()
        }
        guard proxy.isReady else { return }
        do throws(BusFault) { try bus.requestName() } catch { loseBus("\(error)") }
    }

    /// Claims are gone with the bus; if it is the same one that answers again, they are restored.
    private func loseBus(_ reason: String) {
        // Before the connection, whose messages they are.
        calls.removeAll()
        callers = Callers()
        let now = Clock.bootNanoseconds()
        bus.close(reason, now)
        proxy.forgetAll(now: now)
    }

    private func processBus() {
        do throws(BusFault) {
            let events = try bus.process()
            let now = Clock.bootNanoseconds()
            for event in events where bus.isOpen { take(event, now) }
        } catch { loseBus("\(error)") }
    }

    private func take(_ event: SystemBus.Inbox.Event, _ now: Int64) {
        switch event {
        case .called(let call): admit(call, now)
        case .identified(let sender, let user): identify(sender, user, now)
        case .left(let sender): if callers.remove(sender) { proxy.forget(sender, now: now) }
        case .named(nil):
            bus.didGetName()
            restoreClaims()
        case .named(let error?): nameFailure = error
        }
    }

    /// A call of a program; that of one which calls for the first time waits until its user is known.
    private func admit(_ call: HeldCall, _ now: Int64) {
        guard proxy.admits(call.sender, now: now) else { return call.refuse(.tooMany) }
        if let user = callers.user(of: call.sender) { return take(call, of: user, now) }
        if callers.hold(call) { follow(call.sender) }
    }

    private func follow(_ sender: String) {
        do throws(BusFault) { try bus.follow(sender) } catch { loseBus("\(error)") }
    }

    private func identify(_ sender: String, _ user: UInt32?, _ now: Int64) {
        bus.didIdentify(sender)
        let (waiting, claimed) = callers.identify(sender, user)
        guard let user else { return proxy.forget(sender, now: now) }
        // It was permitted when it claimed; as without a restart, it need not be any more.
        for sensor in claimed { proxy.restore(sensor, by: sender, of: user) }
        for call in waiting { take(call, of: user, now) }
    }

    private func take(_ call: HeldCall, of user: UInt32, _ now: Int64) {
        guard let (sensor, claims) = DesktopSensor.named(by: call.method) else { return }
        guard !claims || Permission.mayClaim(sensor, user) else { return call.refuse(.notPermitted) }
        let number = calls.add(call)
        if claims {
            proxy.claim(sensor, by: call.sender, of: user, number, now: now)
        } else {
            proxy.release(sensor, by: call.sender, number, now: now)
        }
    }

    // MARK: claims across a restart

    /// Programs that had claimed something when the process before this one ended have still claimed it, if they are still there.
    private func restoreClaims() {
        let notes = bus.identity.map { claimFile.read(ofBus: $0) } ?? ClaimNotes()
        for sender in callers.expect(notes) where bus.isOpen { follow(sender) }
        // Some may have claimed before the name was ours.
        noteClaims()
    }

    private func noteClaims() {
        guard let identity = bus.identity else { return }
        var notes = proxy.notes
        notes.claims.merge(callers.unrestored.claims) { now, _ in now }
        claimFile.write(notes, ofBus: identity)
    }

    // MARK: what was decided

    private func carryOut() throws {
        for effect in proxy.takeEffects() {
            switch effect {
            case .answer(let number): calls.answer(number)
            case .refuse(let number, let refusal): calls.refuse(number, refusal)
            case .announce(let object, let properties, to: let receivers):
                bus.announce(object, properties, to: receivers)
            case .subscribe(let sensor): broker.subscribe(sensor, loop, &proxy, Clock.bootNanoseconds())
            case .unsubscribe(let sensor): broker.unsubscribe(sensor)
            case .noteClaims: noteClaims()
            case .forgetPrograms:
                // The bus is slow to report whose programs these are: they may be about to claim.
                guard callers.areIdentified else { continue }
                callers.forgetUsers()
                bus.unfollowAll()
            }
        }
        if let reason = nameFailure {
            throw Failure(
                .unavailable,
                "\(SystemBus.name) is not ours: \(reason). "
                    + "If iio-sensor-proxy is installed, remove it: apt remove iio-sensor-proxy")
        }
    }
}
