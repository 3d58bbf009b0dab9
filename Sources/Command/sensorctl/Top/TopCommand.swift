internal import BrokerClient
internal import CLinux
internal import Glibc
internal import Platform
internal import Programs
internal import Readings
internal import Varlink

extension Command {
    static let top = Self(
        name: "top", summary: "Show the resources and clients of the broker, live, on the full screen",
        operands: [Operand(name: "RESOURCE", completion: .resources, isOptional: true)],
        options: [.once, .utc],
        description: [
            "Resources are shown with their states, the true rates of their devices, the jitter of their samples and their values; "
                + "clients with what they asked for, what they were granted and what they get, their losses, and their lags. "
                + "With RESOURCE, begins with the page of that resource: the curves of the last minute, a spirit level, an artificial horizon "
                + "or a compass, the satellites in the sky. `?` lists the keys.",
            "Every user may look at resources. Clients are shown to the broker's administrator only, who can also release "
                + "and take back devices, and disconnect clients.",
            "It is a client like any other: it asks for ten readings a second and resource at most, gathers them, and does not make "
                + "a running device faster, except on a resource's page. A device that nobody uses is opened. `$NO_COLOR` is respected.",
        ],
        examples: [
            ("sudo sensorctl top", "everything, with the clients"),
            ("sensorctl top location", "the sky, the satellites, speed and errors"),
            ("sensorctl top --once", "one page, for a script or a terminal that cannot move its cursor"),
        ]
    ) { invocation throws(UsageError) in
        guard invocation.format == .text else {
            throw UsageError("top is for people; for programs: sensorctl list, watch or status with --format json")
        }
        return TopCommand(
            resource: invocation.operands.first, isOnce: invocation.has(.once), isUTC: invocation.has(.utc))
    }
}

/// `sensorctl top`: the loop between terminal, signals and broker.
struct TopCommand: Action, Equatable {
    let resource: String?
    let isOnce: Bool
    let isUTC: Bool

    /// The time from one picture to the next, if something has changed.
    private static let pictureNanoseconds: Int64 = 100_000_000
    /// How long `--once` waits for readings.
    private static let onceNanoseconds: Int64 = 3_000_000_000
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH]

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        // What is wrong with the broker is reported before the screen is taken.
        let resources = try broker.resources()
        if let resource, !resources.contains(where: { $0.name == resource }) {
            throw broker.failure(
                for: .other(name: Interface.error("NoSuchResource"), parameters: ["resource": .string(resource)]))
        }
        var data = TopData(ownProcess: Int64(getpid()), names: .cachingHost())
        data.take(resources)
        let model = TopModel(
            data, TopView(page: resource.map { .resource($0) } ?? .overview), WallClock(isUTC: isUTC))
        if isOnce { try printOnce(model, broker, terminal) } else { try show(model, broker, terminal) }
    }

    // MARK: one page

    private func printOnce(_ model: TopModel, _ broker: Broker, _ terminal: Terminal) throws(Failure) {
        var model = model
        var loop = try Self.loop()
        let link = TopBroker(broker)
        var ready = ReadyList()
        let end = BootClock.after(Self.onceNanoseconds)
        while true {
            let now = Clock.bootNanoseconds()
            link.turn(&model, &loop, now: now)
            guard now < end, !model.isComplete(nowNanoseconds: now) else { break }
            try Self.wait(&loop, until: min(end, link.deadline), &ready)
            for item in ready { item.topToken.map { link.read($0, &model, &loop, now: Clock.bootNanoseconds()) } }
        }
        let width = CursesScreen.size(of: terminal.output)?.width ?? 80
        try terminal.print(model.canvas(width: width, height: nil, nowNanoseconds: Clock.bootNanoseconds()).lines)
    }

    // MARK: the full screen

    private func show(_ model: TopModel, _ broker: Broker, _ terminal: Terminal) throws(Failure) {
        guard isatty(0) == 1, isatty(terminal.output) == 1 else {
            throw Failure(.usage, "top needs a terminal; for a page in a file or a pipe: sensorctl top --once")
        }
        var loop = try Self.loop()
        let signals = Descriptor(owning: unsafe clinux_signal_descriptor(Self.signals, Int32(Self.signals.count)))
        Self.add(signals.number, .signals, &loop)
        Self.add(0, .keys, &loop)
        let ending = try follow(model, broker, &loop, signals.number)
        // The screen is given back by now.
        if let signal = ending { CursesScreen.die(of: signal) }
    }

    /// Runs until the user quits; returns the signal that ended it, if one did.
    private func follow(
        _ model: TopModel, _ broker: Broker, _ loop: inout EventLoop, _ signals: Int32
    ) throws(Failure) -> Int32? {
        guard var screen = CursesScreen(isColoured: Environment.current().wantsColours) else {
            throw Failure(
                .usage, "this terminal cannot show a full screen (see $TERM); for one page: sensorctl top --once")
        }
        var model = model
        let link = TopBroker(broker)
        var ready = ReadyList()
        var (drawnAt, hasNews): (Int64, Bool) = (.min, true)
        while true {
            var now = Clock.bootNanoseconds()
            link.turn(&model, &loop, now: now)
            if hasNews, now >= drawnAt.addingSaturating(Self.pictureNanoseconds) {
                screen.show(model.canvas(width: screen.width, height: screen.height, nowNanoseconds: now))
                (drawnAt, hasNews) = (now, false)
            }
            let next = hasNews ? drawnAt.addingSaturating(Self.pictureNanoseconds) : Int64.max
            try Self.wait(&loop, until: min(next, link.deadline), &ready)
            now = Clock.bootNanoseconds()
            // The clock of the title goes on, and values grow old.
            hasNews = hasNews || ready.isEmpty || !model.isPaused
            for item in ready {
                guard let token = item.topToken else { continue }
                switch token {
                case .keys:
                    if item.isHungUp { return SIGHUP }
                    while let key = screen.key() {
                        guard let action = model.take(key, rows: screen.height / 2, nowNanoseconds: now) else {
                            continue
                        }
                        if action == .quit { return nil }
                        link.perform(action, &model, &loop)
                    }
                    link.follow(&model, &loop)
                    (hasNews, drawnAt) = (true, .min)
                case .signals:
                    switch clinux_take_signal(signals) {
                    case SIGWINCH: screen.resize()
                    case SIGTSTP: screen.suspend()
                    case 0: continue
                    case let signal: return signal
                    }
                    (hasNews, drawnAt) = (true, .min)
                default: link.read(token, &model, &loop, now: now)
                }
            }
        }
    }

    private static func loop() throws(Failure) -> EventLoop {
        do { return try EventLoop() } catch { throw Failure(.unavailable, "cannot wait for the broker: \(error)") }
    }

    private static func add(_ descriptor: Int32, _ token: TopBroker.Token, _ loop: inout EventLoop) {
        try? loop.add(descriptor, .read, token: token.rawValue)
    }

    private static func wait(
        _ loop: inout EventLoop, until instant: Int64, _ ready: inout ReadyList
    ) throws(Failure) {
        do { try loop.wait(nanoseconds: max(0, BootClock.nanoseconds(until: instant)), into: &ready) } catch {
            throw Failure(.unavailable, "cannot wait for the broker: \(error)")
        }
    }
}

extension ReadyDescriptor {
    fileprivate var topToken: TopBroker.Token? { TopBroker.Token(rawValue: token) }
}
