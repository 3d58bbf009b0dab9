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
        let link = try TopBroker(broker, model)
        if isOnce { try printOnce(link, terminal) } else { try show(link, terminal) }
    }

    // MARK: one page

    private func printOnce(_ link: TopBroker, _ terminal: Terminal) throws(Failure) {
        let end = BootClock.after(Self.onceNanoseconds)
        while true {
            let now = Clock.bootNanoseconds()
            link.turn(now: now)
            guard now < end, !link.model.isComplete(nowNanoseconds: now) else { break }
            for item in try link.wait(until: min(end, link.deadline)) {
                link.read(item.token, now: Clock.bootNanoseconds())
            }
        }
        let width = CursesScreen.size(of: terminal.output)?.width ?? 80
        try terminal.print(link.model.canvas(width: width, height: nil, nowNanoseconds: Clock.bootNanoseconds()).lines)
    }

    // MARK: the full screen

    private func show(_ link: TopBroker, _ terminal: Terminal) throws(Failure) {
        guard isatty(0) == 1, isatty(terminal.output) == 1 else {
            throw Failure(.usage, "top needs a terminal; for a page in a file or a pipe: sensorctl top --once")
        }
        let signals = Descriptor(owning: unsafe clinux_signal_descriptor(Self.signals, Int32(Self.signals.count)))
        link.watch(signals.number, .signals)
        link.watch(0, .keys)
        let ending = try follow(link, signals.number)
        // The screen is given back by now.
        if let signal = ending { CursesScreen.die(of: signal) }
    }

    /// Runs until the user quits; returns the signal that ended it, if one did.
    private func follow(_ link: TopBroker, _ signals: Int32) throws(Failure) -> Int32? {
        guard var screen = CursesScreen(isColoured: Environment.current().wantsColours) else {
            throw Failure(
                .usage, "this terminal cannot show a full screen (see $TERM); for one page: sensorctl top --once")
        }
        var (drawnAt, hasNews): (Int64, Bool) = (.min, true)
        while true {
            var now = Clock.bootNanoseconds()
            link.turn(now: now)
            if hasNews, now >= drawnAt.addingSaturating(Self.pictureNanoseconds) {
                screen.show(link.model.canvas(width: screen.width, height: screen.height, nowNanoseconds: now))
                (drawnAt, hasNews) = (now, false)
            }
            let next = hasNews ? drawnAt.addingSaturating(Self.pictureNanoseconds) : Int64.max
            let ready = try link.wait(until: min(next, link.deadline))
            now = Clock.bootNanoseconds()
            // The clock of the title goes on, and values grow old.
            hasNews = hasNews || ready.isEmpty || !link.model.isPaused
            for (token, isHungUp) in ready {
                switch token {
                case .keys:
                    if isHungUp { return SIGHUP }
                    while let key = screen.key() {
                        guard let action = link.model.take(key, rows: screen.height / 2, nowNanoseconds: now) else {
                            continue
                        }
                        if action == .quit { return nil }
                        link.perform(action)
                    }
                    link.follow()
                    (hasNews, drawnAt) = (true, .min)
                case .signals:
                    switch clinux_take_signal(signals) {
                    case SIGWINCH: screen.resize()
                    case SIGTSTP: screen.suspend()
                    case 0: continue
                    case let signal: return signal
                    }
                    (hasNews, drawnAt) = (true, .min)
                default: link.read(token, now: now)
                }
            }
        }
    }
}
