internal import BrokerClient
internal import CLinux
internal import Glibc
internal import Platform
internal import Programs
internal import Varlink

/// The life of a feed: one connection that provides, made again whenever it is lost, and the lines that go through it.
///
/// It makes no decisions: what becomes of lines is `Feed`'s, when the command runs `CommandRun`'s.
final class FeedSession {
    private enum Token {
        static let signals: UInt64 = 0
        static let broker: UInt64 = 1
        static let source: UInt64 = 2
    }

    /// When to look again whether a broker that took nothing takes more.
    private static let lookNanoseconds: Int64 = 10_000_000

    private let broker: Broker
    private let terminal: Terminal
    private let loop: EventLoop
    private let signals: Signals
    private let standing: StandingCall
    private let source: FeedSource
    private var feed: Feed
    /// Whether the broker has taken it once: a refusal before that is an error of the command line.
    private var hasProvided = false
    /// Whether its user knows that the broker is away.
    private var isAway = false
    /// When a broker that took the call has to have answered it.
    private var answerBy: Int64?
    private var hasEnded = false
    /// When a broker that takes nothing is given up.
    private var endsNanoseconds = Int64.max

    /// A feed of the standard input, or of a command, at the broker's socket for feeds.
    init(_ offer: FeedOffer, command: String?, _ broker: Broker, _ terminal: Terminal) throws(Failure) {
        self.broker = broker
        self.terminal = terminal
        source = FeedSource(command: command)
        feed = Feed(offer, startsAnywhere: source.startsAnywhere)
        standing = StandingCall(offer.call, paths: broker.paths)
        do throws(SystemError) {
            loop = try EventLoop()
            signals = try Signals()
            try loop.add(signals.number, .read, token: Token.signals)
        } catch { throw Failure(error) }
    }

    /// Provides until the lines end, it is asked to stop, or the broker refuses.
    func run() throws(Failure) {
        defer {
            source.stop()
            feed.report()
            report(nil)
        }
        let patience = BootClock.after(broker.timeoutNanoseconds)
        let first = try broker.patiently { () throws(ConnectRefusal) in try standing.connect(Clock.bootNanoseconds()) }
        add(first, answerBy: patience)
        var ready = ReadyList()
        while true {
            let now = Clock.bootNanoseconds()
            if let instant = answerBy, now >= instant {
                guard hasProvided else { throw broker.mute(standing.path) }
                lose(now)
            }
            connect(now)
            let change = source.follow(isWanted: feed.isWanted, loop, token: Token.source, now)
            if change.hasStarted { feed.restart() }
            let isHeldUp = send(now)
            report(change.note)
            if hasEnded, standing.number == nil || feed.deadline == nil { return }
            guard now < endsNanoseconds else { throw broker.mute(standing.path) }
            try wait(isHeldUp: isHeldUp, now, &ready)
            for event in ready {
                switch event.token {
                case Token.signals:
                    guard signals.take()?.isEnd == true else { break }
                    feed.hurry()
                    _ = send(Clock.bootNanoseconds())
                    return
                case Token.broker: try readReplies()
                default: try readLines()
                }
            }
            if source.isAlwaysReady, !hasEnded { try readLines() }
        }
    }

    private func wait(isHeldUp: Bool, _ now: Int64, _ ready: inout ReadyList) throws(Failure) {
        let look = isHeldUp ? now + Self.lookNanoseconds : nil
        let due = isHeldUp ? nil : feed.deadline
        let read = source.isAlwaysReady && !hasEnded ? now : nil
        let instants = [standing.retryNanoseconds, answerBy, source.deadline(now), due, look, read].compactMap { $0 }
        do throws(SystemError) {
            try loop.wait(nanoseconds: instants.min().map { max(0, BootClock.span(from: now, to: $0)) }, into: &ready)
        } catch { throw Failure(error) }
    }

    // MARK: the broker

    /// Connects again if it is time.
    private func connect(_ now: Int64) {
        guard standing.isDue(now) else { return }
        // Why it is not there does not matter now; it is tried again.
        if let number = try? standing.connect(now) { add(number, answerBy: BootClock.after(broker.timeoutNanoseconds)) }
    }

    private func add(_ number: Int32, answerBy instant: Int64) {
        answerBy = instant
        do throws(SystemError) { try loop.add(number, .read, token: Token.broker) } catch {
            lose(Clock.bootNanoseconds())
        }
    }

    private func readReplies() throws(Failure) {
        let now = Clock.bootNanoseconds()
        let replies: [Reply]
        do throws(ConnectionFault) { replies = try standing.replies() } catch {
            guard hasProvided else { throw Failure(error) }
            return lose(now)
        }
        for reply in replies {
            switch reply {
            case .failure(let error): throw broker.failure(for: error)
            case .success(let parameters, let continues):
                let demand = try understand { () throws(VarlinkError) in try ProvideReply(parameters) }
                standing.didAnswer()
                answerBy = nil
                if !hasProvided { try source.begin(loop, token: Token.source) }
                hasProvided = true
                if isAway { report("the broker is back") }
                isAway = false
                feed.take(demand, now)
                if !continues { lose(now) }
            }
        }
    }

    private func lose(_ now: Int64) {
        standing.end(now)
        answerBy = nil
        feed.lose()
        if !isAway { report("the broker went away; waiting for it to come back") }
        isAway = true
    }

    /// Sends what is due; whether the broker takes no more for now.
    private func send(_ now: Int64) -> Bool {
        while let due = feed.deadline, due <= now, let number = standing.number {
            // As much as a call is always fits then.
            guard clinux_poll_writable(number, 0) != 0 else { return true }
            guard let bytes = feed.push(now) else { return false }
            do throws(ConnectionFault) { try standing.send(bytes) } catch { lose(now) }
        }
        return false
    }

    // MARK: the lines

    private func readLines() throws(Failure) {
        switch try source.read(loop) {
        case .nothing: break
        case .bytes(let bytes): feed.take(bytes, .now())
        case .end:
            hasEnded = true
            endsNanoseconds = BootClock.after(broker.timeoutNanoseconds)
            feed.finish(.now())
        }
    }

    private func report(_ note: String?) {
        for text in feed.takeNotes() + [note].compactMap({ $0 }) { terminal.note("sensorctl: \(text)") }
    }
}
