internal import Glibc
internal import Platform
internal import Programs

/// Between the socket of a program and the connection to a server: orders in one direction, reports in the other.
struct ConnectionLoop: ~Copyable {
    private let stream: UnixSocket
    private var input = FrameSource(most: ConnectionOrder.mostBytes)
    private var output = ReportQueue()
    private var unanswered = UnansweredMessages()
    private var ordered: Int64 = 0
    private var lookDue: Int64 = 0

    /// While more waits for the program, nothing is read from the server.
    private static let mostWaiting = 1 << 20
    /// While more has no answer, which the library holds twice, no orders are taken.
    private static let mostUnanswered = 16 << 20
    /// "Packet too large". MQTT 5, 2.4
    private static let tooLarge: Int32 = 0x95
    /// How long the program may take for the last report.
    private static let farewellNanoseconds = Nanoseconds.second

    /// Begins with the first order.
    init(_ stream: consuming UnixSocket) { self.stream = stream }

    /// Runs until the server, or the program, ends it.
    mutating func run() {
        guard let plan = firstOrder() else { return }
        let connection: MQTTConnection
        do throws(Failure) { connection = try MQTTConnection.prepared(plan) } catch {
            return finish(ConnectionEnd(.settings, error.description))
        }
        if let failure = connection.connect() { return finish(failure) }
        report(.reached)
        ordered = Clock.bootNanoseconds()
        // A server does the same with a client that is silent.
        let patience = Int64(plan.keepaliveSeconds) * 3 / 2 * Nanoseconds.second
        while true {
            let ready = wait(connection, until: ordered + patience)
            let isThere = !ready.program || input.receive(from: stream)
            if !takeOrders(connection) || !isThere { return }
            let ending = connection.turn(isReadable: ready.server)
            for event in connection.takeEvents() { report(event) }
            if let ending { return finish(ending) }
            if ready.program || !takesOrders { ordered = Clock.bootNanoseconds() }
            if isForgotten() {
                return finish(ConnectionEnd(.broken, "the server has not answered to a message for 5 min"))
            }
            let now = Clock.bootNanoseconds()
            guard output.flush(to: stream, now), now < ordered + patience else { return }
        }
    }

    /// Whether the server will never answer to a message; it is looked for now and then.
    private mutating func isForgotten() -> Bool {
        let now = Clock.bootNanoseconds()
        guard now >= lookDue else { return false }
        lookDue = now + 5 * Nanoseconds.second
        return unanswered.isAnyForgotten(now)
    }

    private var takesOrders: Bool { unanswered.bytes < Self.mostUnanswered }

    private mutating func firstOrder() -> ConnectionPlan? {
        let deadline = Clock.bootNanoseconds() + 10 * Nanoseconds.second
        while Clock.bootNanoseconds() < deadline {
            _ = Wait.untilReadable(stream.number, nanoseconds: Nanoseconds.second)
            let isThere = input.receive(from: stream)
            do throws(BrokenFrame) {
                guard let frame = try input.next() else {
                    if isThere { continue } else { return nil }
                }
                guard case .begin(let plan) = try ConnectionOrder(frame) else { return nil }
                return plan
            } catch { return nil }
        }
        return nil
    }

    /// Waits for either end; whether the program, and the server, has something to read.
    private mutating func wait(_ connection: MQTTConnection, until deadline: Int64) -> (program: Bool, server: Bool) {
        let now = Clock.bootNanoseconds()
        let hasRoom = output.count < Self.mostWaiting
        let hasMore = hasRoom && connection.mayHoldMore
        let pause = hasRoom && !hasMore ? unanswered.pause(now) : nil
        let takes = hasRoom && pause == nil
        let pulse = now + connection.pulseNanoseconds
        let left = hasMore ? 0 : max(0, min(pause ?? deadline, deadline, pulse, output.due(now)) - now)
        let wishes = (takes ? POLLIN : 0) | (connection.wantsToWrite ? POLLOUT : 0)
        var ends = [
            pollfd(
                fd: stream.number, events: Int16((takesOrders ? POLLIN : 0) | (output.awaitsRoom(now) ? POLLOUT : 0)),
                revents: 0),
            // The end of a socket would be reported again and again.
            pollfd(fd: wishes == 0 ? -1 : connection.socket, events: Int16(wishes), revents: 0),
        ]
        _ = unsafe poll(&ends, nfds_t(ends.count), Int32(clamping: left / 1_000_000 + (left > 0 ? 1 : 0)))
        let trouble = POLLHUP | POLLERR
        let program = Int32(ends[0].revents) & (POLLIN | trouble) != 0
        let server = hasMore || takes && Int32(ends[1].revents) & (POLLIN | trouble) != 0
        let isAwake = program && pause != nil && unanswered.isWorthReading(Clock.bootNanoseconds())
        return (program, server || isAwake)
    }

    /// Does what the program ordered; false if it wants nothing more, or what cannot be.
    private mutating func takeOrders(_ connection: MQTTConnection) -> Bool {
        do throws(BrokenFrame) {
            while takesOrders, let frame = try input.next() {
                switch try ConnectionOrder(frame) {
                case .begin: throw BrokenFrame()
                case .alive: break
                case .subscribe(let topic): connection.subscribe(topic)
                case .publish(let identifier, let topic, let payload, let isRetained, let mayWait):
                    switch connection.publish(topic, payload, isRetained: isRetained) {
                    case .sent(let own):
                        unanswered.add(
                            UnansweredMessages.Message(
                                identifier: identifier, bytes: payload.count, mayWait: mayWait), as: own,
                            Clock.bootNanoseconds())
                    case .tooLarge: report(.answered(identifier: identifier, reason: Self.tooLarge), isOurs: true)
                    // A consumer's requests, which nobody waits for; and the next turn reports the end.
                    case .unacknowledged, .ended: break
                    }
                case .disconnect:
                    connection.disconnect()
                    return false
                }
            }
        } catch { return false }
        return true
    }

    private mutating func report(_ event: ServerEvent, isOurs: Bool = false) {
        let now = Clock.bootNanoseconds()
        guard case .answered(let own, let reason) = event, !isOurs else {
            return output.add(event, mayWait: false, now)
        }
        guard let message = unanswered.remove(own, now) else { return }
        let answer = ServerEvent.answered(identifier: message.identifier, reason: reason)
        output.add(answer, mayWait: message.mayWait && reason < 0x80, now)
    }

    /// The last report, as far as the program takes it in time.
    private mutating func finish(_ end: ConnectionEnd) {
        var now = Clock.bootNanoseconds()
        output.add(ServerEvent.ended(end), mayWait: false, now)
        let deadline = now + Self.farewellNanoseconds
        while output.flush(to: stream, now), output.count > 0, now < deadline {
            _ = Wait.untilReadable(-1, nanoseconds: Nanoseconds.second / 100)
            now = Clock.bootNanoseconds()
        }
    }
}
