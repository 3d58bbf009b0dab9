internal import BrokerClient
internal import CLinux
internal import Platform
internal import Varlink

/// What a provider provides, and its connection: any thread sends, the session's thread does the rest.
final class Feed: Sendable {
    fileprivate struct State {
        var provision: Provision
        var line: FeedLine?
        var writer = JSONWriter()
        /// How many times were not sent since the last ones that were, for lack of room.
        var missing = 0
    }

    /// How the provision stands, as the provider sees it.
    let status = ProviderStatus()
    private let names: [String]
    private let call: Call
    /// In bytes: the broker closes a connection with a longer one.
    private static let longestCall = 64 * 1_024
    /// What a provider that ends has not sent yet may take so long.
    private static let finishNanoseconds: Int64 = 2_000_000_000
    private let state: Locked<State>

    init(_ resources: ProvidedResources, _ offer: SensorOffer, seed: UInt64) {
        names = resources.names.map(\.description)
        call = Call(Interface.provide, parameters: offer.parameters(of: resources), mode: .more)
        state = Locked(State(provision: Provision(seed: seed)))
    }

    /// Why no broker takes its call; nil if one may.
    var fault: SensorError? {
        var writer = JSONWriter()
        writer.call(call)
        guard writer.bytes.count > Self.longestCall else { return nil }
        return .invalidRequest(
            "its description is too long: a call has \(Self.longestCall) bytes at most, and this one has "
                + "\(writer.bytes.count)")
    }

    /// Sends samples, or refuses them; true if the session's thread is to wait for room.
    func send(_ samples: ProvidedSamples) -> Bool {
        let (whole, broken) = samples.parted(width: names.count)
        if broken > 0 { status.take(.refused(count: broken, reason: "a number is not finite")) }
        guard whole.count > 0 else { return false }
        let (isTaken, isHeldUp) = state.withLock { state in
            guard state.provision.isProvided, let line = state.line else { return (false, false) }
            state.writer.removeAll()
            let times = whole.times?.map(\.nanoseconds) ?? [SessionCore.now().nanoseconds]
            let missing = state.provision.takesMissing ? state.missing : 0
            let counts = state.writer.push(names, times: times, whole.measurements, missing: missing)
            let isTaken = line.send(state.writer.bytes, of: counts)
            state.missing = isTaken ? 0 : state.missing + whole.count
            return (isTaken, line.isHeldUp)
        }
        if !isTaken {
            let reason = isHeldUp ? "the broker does not take them in time" : "the broker is away"
            status.take(.refused(count: whole.count, reason: reason))
        }
        return isHeldUp
    }

    /// Connects, gives up and waits for room if it is time; returns when it is time next.
    func work(
        _ dialer: Dialer, _ loop: borrowing EventLoop, token: UInt64, now: BootTime, readUntil: BootTime
    ) -> BootTime? {
        let (changes, deadline) = state.withLock { state in
            var changes = state.provision.expire(now)
            if state.provision.isOverdue(readUntil) {
                let error = SensorError.unanswered(seconds: Int(KnownBroker.answerNanoseconds / 1_000_000_000))
                changes += state.lose(error, loop, now)
            }
            if state.provision.isDue(now) {
                do throws(SensorError) {
                    state.line = try Self.connect(dialer, call, loop, token)
                    state.missing = 0
                    state.provision.didAsk(now)
                } catch {
                    changes += state.provision.lost(error, now)
                }
            }
            if let line = state.line, line.changesWait {
                // A loop that cannot wait for room leaves it to the next sample.
                try? loop.change(line.number, line.isHeldUp ? [.read, .write] : .read, token: token)
            }
            return (changes, state.provision.deadline)
        }
        report(changes)
        return deadline
    }

    /// Takes what has come, and sends what there is room for; false if more may be left.
    func act(_ loop: borrowing EventLoop, now: BootTime) -> Bool {
        let (changes, isAll) = state.withLock { state -> ([Provision.Change], Bool) in
            guard let line = state.line else { return ([], true) }
            line.flush()
            var changes: [Provision.Change] = []
            do throws(ConnectionFault) {
                let isAll = try line.receive()
                while let reply = try line.nextReply() { changes += try state.take(reply, loop, now) }
                return (changes, isAll)
            } catch {
                return (changes + state.lose(SensorError(error), loop, now), true)
            }
        }
        report(changes)
        return isAll
    }

    /// Waits until the rest of what it has taken is sent, as long as the broker may take for it; reports what is not.
    func finish() {
        let end = SessionCore.now() + Self.finishNanoseconds
        while let number = state.withLock({ $0.heldUp() }) {
            let left = end - SessionCore.now()
            guard left > 0 else { break }
            _ = clinux_poll_writable(number, left)
        }
        report(state.withLock { $0.giveUp() })
    }

    /// Closes its connection.
    func close(_ loop: borrowing EventLoop) { report(state.withLock { $0.close(loop) }) }

    private static func connect(
        _ dialer: Dialer, _ call: Call, _ loop: borrowing EventLoop, _ token: UInt64
    ) throws(SensorError) -> FeedLine {
        let connection = try dialer.connectFeed()
        do { try connection.send(call) } catch { throw SensorError(error) }
        do { try loop.add(connection.number, .read, token: token) } catch { throw .system("\(error)") }
        return FeedLine(connection)
    }

    private func report(_ changes: [Provision.Change]) {
        for change in changes {
            switch change {
            case .event(let event): status.take(event)
            case .provided: status.markProvided()
            case .ended(let error): status.finish(error)
            }
        }
    }
}

extension Feed.State {
    /// Takes a reply; a refusal closes the connection.
    fileprivate mutating func take(
        _ reply: Reply, _ loop: borrowing EventLoop, _ now: BootTime
    ) throws(ConnectionFault) -> [Provision.Change] {
        switch reply {
        case .success(let parameters, continues: let continues):
            let changes = provision.replied(try understand { () throws(VarlinkError) in try ProvideReply(parameters) })
            return continues ? changes : changes + lose(.disconnected, loop, now)
        case .failure(let error):
            return close(loop) + provision.refused(SensorError(error), now)
        }
    }

    /// The connection is of no use.
    fileprivate mutating func lose(
        _ error: SensorError, _ loop: borrowing EventLoop, _ now: BootTime
    ) -> [Provision.Change] {
        close(loop) + provision.lost(error, now)
    }

    fileprivate mutating func close(_ loop: borrowing EventLoop) -> [Provision.Change] {
        defer { line = nil }
        if let line { loop.remove(line.number) }
        return giveUp()
    }

    /// The descriptor of a connection that has no room for the rest of a message, and may get some; nil: there is no such rest.
    fileprivate func heldUp() -> Int32? {
        line?.flush()
        return line.flatMap { $0.mayBeTaken ? $0.number : nil }
    }

    /// Sends nothing any more, and reports what was not sent.
    fileprivate func giveUp() -> [Provision.Change] {
        guard let count = line?.giveUp(), count > 0 else { return [] }
        return [.event(.refused(count: count, reason: "the broker did not take them before the connection ended"))]
    }
}

extension ProvidedSamples {
    /// Those whose numbers can all be sent, and how many others there are.
    fileprivate func parted(width: Int) -> (whole: Self, broken: Int) {
        guard !measurements.allSatisfy(\.isFinite) else { return (self, 0) }
        let rows = (0..<count).filter { row in
            measurements[(row * width)..<((row + 1) * width)].allSatisfy(\.isFinite)
        }
        let kept = rows.flatMap { row in measurements[(row * width)..<((row + 1) * width)] }
        return (Self(times: rows.compactMap { times?[$0] }, measurements: kept), count - rows.count)
    }
}
