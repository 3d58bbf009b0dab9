internal import Platform
package import Programs

/// A connection to a server of MQTT that a process of its own holds.
///
/// A server is a stranger, and libmosquitto does not bear all that one can send: that of Debian 12 aborts by an assertion in
/// its logging when a server answers with random bytes, and nobody knows its other faults. With encryption the bytes are
/// first seen inside the library, so nothing can be checked before it. These were the choices:
///
/// - Another library. paho-mqtt-c (Debian 12 and 13) is C as well and has had overflows of its own in the code that reads
///   packets; its unknown faults would replace those of libmosquitto, it has threads of its own, and reports less.
/// - A client written here, in Swift above OpenSSL. That is safe against what is read, except for OpenSSL, and is 1,500 lines
///   more that nobody else tests; where a trap remains, the program still ends.
/// - A process with nothing to lose, which is this. The program starts itself again (`ConfinedChild`) with one word, and that
///   process has the library, the encryption, the password, and nothing else: no spool, no readings but those that pass, no
///   file to write, no process to start, a bounded memory, and no rights that the program does not have. Whatever the server
///   does to it, the program sees a lost connection, logs the signal, and starts another after the usual wait.
///
/// What that process sends is trusted as little as a stranger's bytes: see `Frame`. It can do no more harm than a
/// hostile server could: acknowledge, deliver, end. A program that hangs does not look alive: if it
/// gives no order for one and a half keepalives, the process ends the connection as a server would.
///
/// The confinement costs a process with 1.5 MB of memory of its own (2.6 with its share of what both have), 8 ms of the
/// processor at each connection, and for what passes in a turn a copy and a wake-up, which messages that come within 5 ms share:
/// a third of a message's processor time.
package final class ConfinedConnection: ServerConnection {
    private let child: ConfinedChild?
    private let stream: UnixSocket
    private var input: FrameSource
    private var output = FrameQueue()
    private var hasEnded = false
    /// Nothing more can come.
    private var isClosed = false
    private var identifier: Int32 = 0
    private var aliveDue: Int64 = 0

    /// A turn takes no more messages, so that whoever calls gets to do something with them.
    private static let mostEvents = 512
    /// How long the goodbye may take.
    private static let farewellNanoseconds = 3 * Nanoseconds.second / 2
    /// How often the process is sent a sign of life; it ends after one and a half keepalives without one.
    private static let pulseNanoseconds = 5 * Nanoseconds.second

    package static func begun(_ plan: ConnectionPlan) throws(Failure) -> ConfinedConnection {
        do throws(SystemError) {
            let (child, socket) = try ConfinedChild.start([ConnectionProcess.argument])
            var plan = plan
            if let file = plan.passwordFile { plan.password = SmallFile.line(at: file) }
            return ConfinedConnection(child, UnixSocket(Descriptor(owning: socket)), plan)
        } catch { throw Failure(.system, "cannot start a process for the connection: \(error)") }
    }

    /// The process, or whoever else is at the other end of the socket.
    init(_ child: ConfinedChild?, _ stream: consuming UnixSocket, _ plan: ConnectionPlan) {
        self.child = child
        self.stream = stream
        input = FrameSource(most: ServerEvent.mostBytes(payload: plan.mostPayloadBytes))
        output.add(ConnectionOrder.begin(plan))
    }

    package var socket: Int32 { stream.number }

    package var wantsToWrite: Bool { !output.isEmpty && !isClosed }

    package private(set) var mayHoldMore = false

    /// When the next sign of life is to be sent to the process.
    package var deadline: Int64 { isClosed && !hasEnded ? 0 : aliveDue }

    package func turn(isReadable: Bool) -> [ServerEvent] {
        let now = Clock.bootNanoseconds()
        if now >= aliveDue {
            if !isClosed { output.add(ConnectionOrder.alive) }
            aliveDue = now + Self.pulseNanoseconds
        }
        flush()
        if isReadable || isClosed { receive() }
        var events = takeReports()
        // What came before the end comes first.
        mayHoldMore = !hasEnded && events.count >= Self.mostEvents
        if isClosed, !hasEnded, !mayHoldMore { events.append(crash()) }
        return events
    }

    package func flush() { if !isClosed, !output.flush(to: stream) { isClosed = true } }

    private func receive() { if !input.receive(from: stream) { isClosed = true } }

    private func takeReports() -> [ServerEvent] {
        var events: [ServerEvent] = []
        do throws(BrokenFrame) {
            while !hasEnded, events.count < Self.mostEvents, let frame = try input.next() {
                let event = try ServerEvent(frame)
                if case .ended = event { hasEnded = true }
                events.append(event)
            }
        } catch { events.append(end("the process of the connection reports what cannot be")) }
        return events
    }

    private func crash() -> ServerEvent {
        let signal = child?.kill().map { "the server's bytes ended the process of the connection (signal \($0))" }
        return end(signal ?? "the process of the connection ended")
    }

    private func end(_ words: String) -> ServerEvent {
        hasEnded = true
        return .ended(ConnectionEnd(.crashed, words))
    }

    package func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, mayWait: Bool) -> Int32? {
        guard !hasEnded, !isClosed else { return nil }
        identifier = identifier == .max ? 1 : identifier + 1
        assert(identifier > 0, "0 is no identifier")
        order(
            .publish(
                identifier: identifier, topic: topic, payload: payload, isRetained: isRetained, mayWait: mayWait))
        return identifier
    }

    package func subscribe(_ topic: String) { if !hasEnded, !isClosed { order(.subscribe(topic)) } }

    /// Ends the connection in order, within a bounded time.
    package func disconnect() {
        guard !hasEnded, !isClosed else { return }
        order(.disconnect)
        let deadline = Clock.bootNanoseconds() + Self.farewellNanoseconds
        // The process closes its end of the socket once it has disconnected.
        while !isClosed, Clock.bootNanoseconds() < deadline {
            if !output.flush(to: stream) { break }
            _ = Wait.untilReadable(stream.number, nanoseconds: Nanoseconds.second / 100)
            receive()
            input.drop()
        }
        isClosed = true
    }

    private func order(_ order: ConnectionOrder) {
        output.add(order)
        aliveDue = Clock.bootNanoseconds() + Self.pulseNanoseconds
    }
}
