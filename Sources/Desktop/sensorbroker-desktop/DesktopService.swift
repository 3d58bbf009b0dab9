internal import BrokerClient
internal import Glibc
internal import Platform
internal import Programs
internal import Varlink

/// Serves `net.hadess.SensorProxy`: carries events between bus, broker and `SensorProxy`, which decides.
///
/// One thread, and no timer while nothing is to be done: with no claim it sleeps until the list of resources changes.
final class DesktopService {
    /// Messages of the bus that are handled before it is the broker's turn.
    private static let mostMessages = 64

    private enum Token {
        static let bus: UInt64 = 0
        static let signals: UInt64 = 1
        static let list: UInt64 = 2
        /// And one for each sensor after it.
        static let firstSensor: UInt64 = 3
    }

    private let journal = Journal(program: Program.name)
    private var loop: EventLoop
    private let signals: Signals
    private let paths: [String]
    private var proxy: SensorProxy

    private var inbox: SystemBus.Inbox?
    private var bus: SystemBus?
    private var busInterest = EventLoop.Interest.read
    private var busRetryNanoseconds: Int64? = 0
    private var busBackoff = Backoff(
        firstNanoseconds: Nanoseconds.second / 10, longestNanoseconds: 5 * Nanoseconds.second)
    /// Whether it was logged that the bus is lost.
    private var isBusMissed = false
    private var hasAskedForName = false
    private var hasMoreMessages = false

    private let list: StandingCall
    private var streams: [DesktopSensor: StandingCall] = [:]
    /// The users of programs that have called, and calls of those whose user is not known yet.
    private var users: [String: UInt32] = [:]
    private var unidentified: [String: [HeldCall]] = [:]
    /// What those of them had claimed that the process before this one knew.
    private var unrestored = ClaimNotes()
    private let claimFile = ClaimFile()
    /// The bus on which the name is ours; nil: on none.
    private var busIdentity: String?
    /// Why the bus did not give us the name; nil: it gave it, or has not answered.
    private var nameFailure: String?
    private var calls: [SensorProxy.CallNumber: HeldCall] = [:]
    private var lastCall = 0
    private var complaints: BrokerComplaints

    /// A service of the broker at the first of these paths.
    init(paths: [String]) throws(SystemError) {
        loop = try EventLoop()
        signals = try Signals()
        self.paths = paths
        complaints = BrokerComplaints(journal)
        proxy = SensorProxy(now: Clock.bootNanoseconds())
        list = StandingCall(Call(Interface.listResources, mode: .more), paths: paths)
        try loop.add(signals.number, .read, token: Token.signals)
    }

    /// Serves until it is ordered to stop.
    func run() throws -> ExitStatus {
        var ready = ReadyList()
        while true {
            let now = Clock.bootNanoseconds()
            keepBus(now)
            connect(list, of: nil, now)
            for (sensor, stream) in streams { connect(stream, of: sensor, now) }
            proxy.expire(now: now)
            try carryOut()
            try loop.wait(nanoseconds: nextWait(), into: &ready)
            for event in ready {
                switch event.token {
                case Token.bus: hasMoreMessages = true
                case Token.signals: if case .stop = signals.take() { return .done }
                default: read(event.token)
                }
            }
            processBus()
            try carryOut()
        }
    }

    // MARK: the bus

    /// Connects to the bus, if it is time for that, and asks for the name as soon as properties have values.
    private func keepBus(_ now: Int64) {
        if bus == nil, let instant = busRetryNanoseconds, now >= instant { openBus(now) }
        guard bus != nil, proxy.isReady, !hasAskedForName else { return }
        hasAskedForName = true
        do throws(BusFault) { try bus?.requestName() } catch { loseBus("\(error)") }
    }

    private func openBus(_ now: Int64) {
        let inbox = SystemBus.Inbox { [unowned self] name in proxy.value(of: name) }
        do {
            let opened = try SystemBus(inbox: inbox)
            busInterest = .read
            try loop.add(opened.number, .read, token: Token.bus)
            bus = consume opened
            self.inbox = inbox
            (busRetryNanoseconds, hasAskedForName, hasMoreMessages) = (nil, false, true)
            processBus()
        } catch { loseBus("\(error)") }
    }

    /// Claims are gone with the bus; if it is the same one that answers again, they are restored.
    private func loseBus(_ reason: String) {
        if !isBusMissed { journal.write(.warning, "\(reason); trying again") }
        isBusMissed = true
        // Before the connection, whose messages they are.
        calls = [:]
        (users, unidentified, unrestored) = ([:], [:], ClaimNotes())
        bus = nil
        busIdentity = nil
        inbox = nil
        let now = Clock.bootNanoseconds()
        busRetryNanoseconds = now + busBackoff.next()
        proxy.forgetAll(now: now)
    }

    private func processBus() {
        guard bus != nil, hasMoreMessages || busWait == 0 else { return }
        do throws(BusFault) {
            hasMoreMessages = try bus?.process(most: Self.mostMessages) ?? false
        } catch { return loseBus("\(error)") }
        let events = inbox?.events ?? []
        inbox?.events = []
        let now = Clock.bootNanoseconds()
        for event in events where bus != nil {
            switch event {
            case .called(let call): admit(call, now)
            case .identified(let sender, let user): identify(sender, user, now)
            case .left(let sender):
                guard users.removeValue(forKey: sender) != nil else { continue }
                proxy.forget(sender, now: now)
            case .named(nil):
                busBackoff.reset()
                isBusMissed = false
                journal.write(.notice, "serving \(SystemBus.name)")
                restoreClaims()
            case .named(let error?): nameFailure = error
            }
        }
    }

    /// Programs that had claimed something when the process before this one ended have still claimed it, if they are still there.
    private func restoreClaims() {
        busIdentity = bus?.identity
        unrestored = busIdentity.map { claimFile.read(ofBus: $0) } ?? ClaimNotes()
        for sender in unrestored.claims.keys where unidentified[sender] == nil {
            unidentified[sender] = []
            do throws(BusFault) { try bus?.follow(sender) } catch { return loseBus("\(error)") }
        }
        // Some may have claimed before the name was ours.
        noteClaims()
    }

    private func noteClaims() {
        guard let busIdentity else { return }
        var notes = proxy.notes
        notes.claims.merge(unrestored.claims) { now, _ in now }
        claimFile.write(notes, ofBus: busIdentity)
    }

    /// A call of a program; that of one which calls for the first time waits until its user is known.
    private func admit(_ call: HeldCall, _ now: Int64) {
        let sender = call.sender
        guard proxy.admits(sender, now: now) else { return refuse(call, .tooMany) }
        if let user = users[sender] { return take(call, of: user, now) }
        let isFirst = unidentified[sender] == nil
        unidentified[sender, default: []].append(call)
        guard isFirst else { return }
        do throws(BusFault) { try bus?.follow(sender) } catch { loseBus("\(error)") }
    }

    private func identify(_ sender: String, _ user: UInt32?, _ now: Int64) {
        bus?.didIdentify(sender)
        let waiting = unidentified.removeValue(forKey: sender) ?? []
        let claimed = unrestored.claims.removeValue(forKey: sender) ?? []
        guard let user else { return proxy.forget(sender, now: now) }
        users[sender] = user
        // It was permitted when it claimed; as without a restart, it need not be any more.
        for sensor in claimed { proxy.restore(sensor, by: sender, of: user) }
        for call in waiting { take(call, of: user, now) }
    }

    private func take(_ call: HeldCall, of user: UInt32, _ now: Int64) {
        guard let (sensor, claims) = DesktopSensor.named(by: call.method) else { return }
        guard !claims || Permission.mayClaim(sensor, user) else { return refuse(call, .notPermitted) }
        lastCall += 1
        calls[lastCall] = call
        if claims {
            proxy.claim(sensor, by: call.sender, of: user, lastCall, now: now)
        } else {
            proxy.release(sensor, by: call.sender, lastCall, now: now)
        }
    }

    private func refuse(_ call: HeldCall, _ refusal: SensorProxy.Refusal) {
        switch refusal {
        case .tooMany:
            call.refuse(
                "org.freedesktop.DBus.Error.LimitsExceeded",
                "too many calls or claims; claim once, and release when you no longer need the sensor")
        case .notPermitted:
            call.refuse(
                "org.freedesktop.DBus.Error.AccessDenied",
                "your user has no active session at a seat; programs without one may claim sensors as members of the "
                    + "group sensorbroker")
        }
    }

    // MARK: the broker

    private func connect(_ call: StandingCall, of sensor: DesktopSensor?, _ now: Int64) {
        let token = sensor.map { Token.firstSensor + UInt64($0.rawValue) } ?? Token.list
        if let event = call.connect(loop, token: token, now) { take(event, of: sensor, now) }
    }

    private func read(_ token: UInt64) {
        let now = Clock.bootNanoseconds()
        if token == Token.list { return take(list.read(now), of: nil, now) }
        // A stream may have been closed in the same turn.
        let index = Int(clamping: token - Token.firstSensor)
        guard let sensor = DesktopSensor(rawValue: index), let stream = streams[sensor] else { return }
        take(stream.read(now), of: sensor, now)
    }

    private func take(_ event: StandingCall.Event, of sensor: DesktopSensor?, _ now: Int64) {
        switch (event, sensor) {
        case (.replies(let replies), nil):
            for reply in replies {
                guard let objects = try? reply.optionalObjects("resources"),
                    let all = try? Resource.all(objects)
                else { continue }
                complaints.end()
                proxy.take(all, now: now)
            }
        case (.replies(let replies), let sensor?):
            for reply in replies {
                guard let update = try? Update(reply) else { continue }
                proxy.take(update.readings, for: sensor)
                proxy.note(update.resources, of: sensor)
            }
        case (.lost(let reason), nil):
            complaints.isLost(reason)
            proxy.brokerIsLost(now: now)
        case (.lost, let sensor?): proxy.isInterrupted(sensor)
        case (.refused(let error), let sensor):
            complaints.refuses(sensor?.row.resource ?? "its list", error)
            if let sensor { proxy.isRefused(sensor) }
        }
    }

    // MARK: what was decided

    private func carryOut() throws {
        for effect in proxy.takeEffects() {
            switch effect {
            case .answer(let number): calls.removeValue(forKey: number)?.answer()
            case .refuse(let number, let refusal):
                if let call = calls.removeValue(forKey: number) { refuse(call, refusal) }
            case .announce(let object, let properties, to: nil):
                // Before the name is ours, nobody listens.
                bus?.announce(object, properties, to: nil)
            case .announce(let object, let properties, to: let receivers?):
                for receiver in receivers { bus?.announce(object, properties, to: receiver) }
            case .subscribe(let sensor): subscribe(sensor)
            case .unsubscribe(let sensor): streams[sensor] = nil
            case .noteClaims: noteClaims()
            case .forgetPrograms:
                // The bus is slow to report whose programs these are: they may be about to claim.
                guard unidentified.isEmpty else { continue }
                users = [:]
                bus?.unfollowAll()
            }
        }
        if let reason = nameFailure {
            throw Failure(
                .unavailable,
                "\(SystemBus.name) is not ours: \(reason). "
                    + "If iio-sensor-proxy is installed, remove it: apt remove iio-sensor-proxy")
        }
    }

    private func subscribe(_ sensor: DesktopSensor) {
        let requests = proxy.requests(for: sensor).map(\.json)
        let call = Call(Interface.subscribe, parameters: ["requests": .array(requests)], mode: .more)
        let stream = StandingCall(call, paths: paths)
        streams[sensor] = stream
        connect(stream, of: sensor, Clock.bootNanoseconds())
    }

    /// How long there is nothing to do but wait; nil: for ever.
    private func nextWait() -> Int64? {
        guard bus == nil || !hasMoreMessages else { return 0 }
        let now = Clock.bootNanoseconds()
        var instants = streams.values.compactMap(\.retryNanoseconds)
        instants += [list.retryNanoseconds, proxy.deadlineNanoseconds].compactMap { $0 }
        if bus == nil, let instant = busRetryNanoseconds { instants.append(instant) }
        var wait = instants.min().map { max(0, $0 - now) }
        guard bus != nil else { return wait }
        let interest: EventLoop.Interest = bus?.wantsToWrite == true ? [.read, .write] : .read
        if interest != busInterest, let number = bus?.number,
            (try? loop.change(number, interest, token: Token.bus)) != nil
        {
            busInterest = interest
        }
        if let due = busWait { wait = min(wait ?? .max, due) }
        return wait
    }

    /// How long the bus may be left alone if nothing comes; nil: for ever.
    private var busWait: Int64? {
        guard let due = bus?.deadlineMicroseconds else { return nil }
        let (instant, overflow) = Int64(clamping: due).multipliedReportingOverflow(by: 1_000)
        return overflow ? nil : max(0, instant - Clock.monotonicNanoseconds())
    }
}
