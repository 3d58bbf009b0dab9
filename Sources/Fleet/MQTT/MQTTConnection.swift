internal import CMosquitto
internal import Fleet
internal import Glibc
internal import Platform
internal import Programs

/// One connection of libmosquitto, from its beginning to its end, in the process of the connection.
///
/// The library's own loop is not used: it ends silently if the server ends the connection with a reason.
@safe package final class MQTTConnection {
    /// What became of a message that was to be sent.
    enum Sending: Equatable {
        /// The message is on its way; the answer comes with this identifier.
        case sent(Int32)
        /// The message is on its way; the server acknowledges none.
        case unacknowledged
        /// The server announced that it takes none of this size.
        case tooLarge
        /// The connection has ended.
        case ended
    }

    /// What the library's callbacks leave for the loop.
    private final class Inbox {
        var events: [ServerEvent] = []
        var complaint: String?
        var bytes = 0
        /// The server has answered to the connection.
        var isGreeted = false
        /// The quality of messages: 1, unless the server takes none of that.
        var quality: Int32 = 1
        /// The longest time in which the server has to receive something.
        var keepaliveSeconds: Int64
        /// The server has set a longer one, or none, by which the library goes.
        var pingsSeldom = false
        let mostPayloadBytes: Int

        init(_ plan: ConnectionPlan) {
            (mostPayloadBytes, keepaliveSeconds) = (plan.mostPayloadBytes, Int64(plan.keepaliveSeconds))
        }

        /// That of a callback.
        static func at(_ context: UnsafeMutableRawPointer?) -> Inbox? {
            unsafe context.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
        }

        /// The server wants to receive something this often, 0: not at all; less: it announced nothing.
        func keepAlive(every seconds: Int32) {
            guard seconds >= 0 else { return }
            pingsSeldom = seconds == 0 || seconds > keepaliveSeconds
            if !pingsSeldom { keepaliveSeconds = Int64(seconds) }
        }
    }

    private let handle: OpaquePointer
    private let inbox: Inbox
    private let server: ServerAddress
    private let isFive: Bool
    private let sessionSeconds: UInt32
    private let packetMaximum: UInt32
    private let keepaliveSeconds: Int32
    /// A turn takes no more messages, so that whoever calls gets to do something with them; libmosquitto 2.1 takes as many
    /// more as its buffer of four kilobytes holds.
    private static let mostEvents = 512
    private static let mostBytes = 1 << 20
    /// Packets that are no events count as well: a server may send nothing else.
    private static let mostReads = 2 * mostEvents
    /// How long an address of the server may take to answer.
    private static let patienceSeconds: Int32 = 5
    /// How long the goodbye may take.
    private static let farewellNanoseconds = Nanoseconds.second

    /// Prepares the library, once for the process.
    static func begin() { mosquitto_lib_init() }

    /// A connection that has not begun, as planned.
    static func prepared(_ plan: ConnectionPlan) throws(Failure) -> MQTTConnection {
        let inbox = Inbox(plan)
        let context = unsafe Unmanaged.passUnretained(inbox).toOpaque()
        guard let handle = unsafe mosquitto_new(plan.clientID, sessionSeconds(plan) == 0, context) else {
            throw Failure(.system, "libmosquitto has no memory for a connection")
        }
        let connection = unsafe MQTTConnection(handle, inbox, plan)
        let code = connection.configure(plan)
        guard code == 0 else {
            throw Failure(.configuration, "libmosquitto does not accept the settings: \(words(code, inbox.complaint))")
        }
        return connection
    }

    /// Servers of version 3.1.1 would keep a session for ever.
    private static func sessionSeconds(_ plan: ConnectionPlan) -> UInt32 {
        plan.version == .five ? plan.sessionSeconds : 0
    }

    private init(_ handle: OpaquePointer, _ inbox: Inbox, _ plan: ConnectionPlan) {
        unsafe self.handle = handle
        self.inbox = inbox
        server = plan.server
        isFive = plan.version == .five
        keepaliveSeconds = plan.keepaliveSeconds
        sessionSeconds = Self.sessionSeconds(plan)
        // Servers of version 3.1.1 cannot be sent a limit.
        packetMaximum = isFive ? UInt32(clamping: plan.mostPayloadBytes + 1_024) : 0
    }

    private func configure(_ plan: ConnectionPlan) -> Int32 {
        unsafe mosquitto_int_option(handle, mosq_opt_t(UInt32(cmosquitto_protocol)), plan.version == .five ? 5 : 4)
        unsafe mosquitto_int_option(handle, mosq_opt_t(UInt32(cmosquitto_no_delay)), 1)
        // Ours is the window.
        unsafe mosquitto_max_inflight_messages_set(handle, 65_535)
        listen()
        var code: Int32 = 0
        if let will = plan.will {
            code = unsafe mosquitto_will_set(
                handle, will.topic, Int32(clamping: will.payload.count), will.payload, 1, will.isKept)
        }
        if code == 0, let user = plan.user { code = unsafe mosquitto_username_pw_set(handle, user, plan.password) }
        if code == 0, plan.server.isEncrypted {
            let authorities = plan.authority == nil ? "/etc/ssl/certs" : nil
            code = unsafe mosquitto_tls_set(handle, plan.authority, authorities, plan.certificate, plan.key, nil)
        }
        return code
    }

    deinit { unsafe mosquitto_destroy(handle) }

    private func listen() {
        unsafe mosquitto_connect_v5_callback_set(handle) { handle, context, reason, _, properties in
            // The log is for errors of the handshake; from now on it would have a line for each message.
            unsafe mosquitto_log_callback_set(handle, nil)
            guard let inbox = unsafe Inbox.at(context) else { return }
            let receive = unsafe cmosquitto_receive_maximum(properties)
            let packet = unsafe cmosquitto_packet_maximum(properties)
            let greeting = unsafe Greeting(
                reason: reason, receiveMaximum: receive > 0 ? Int(receive) : nil,
                packetMaximum: packet > 0 ? Int(packet) : nil, maximumQoS: cmosquitto_maximum_qos(properties),
                retains: cmosquitto_retains(properties))
            unsafe inbox.keepAlive(every: cmosquitto_keep_alive(properties))
            (inbox.isGreeted, inbox.quality) = (true, min(1, greeting.maximumQoS))
            inbox.events.append(.connected(greeting))
        }
        unsafe mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, _ in
            if reason >= 0x80 { unsafe Inbox.at(context)?.events.append(.disconnected(reason: reason)) }
        }
        unsafe mosquitto_publish_v5_callback_set(handle) { _, context, identifier, reason, _ in
            unsafe Inbox.at(context)?.events.append(.answered(identifier: identifier, reason: reason))
        }
        unsafe mosquitto_message_v5_callback_set(handle) { _, context, message, _ in
            guard let message = unsafe message, let topic = unsafe message.pointee.topic,
                let inbox = unsafe Inbox.at(context)
            else { return }
            let payload = unsafe UnsafeRawBufferPointer(
                start: message.pointee.payload, count: min(Int(message.pointee.payloadlen), inbox.mostPayloadBytes))
            inbox.bytes += payload.count
            unsafe inbox.events.append(
                .message(topic: String(cString: topic), payload: Array(payload), isRetained: message.pointee.retain))
        }
        unsafe mosquitto_subscribe_callback_set(handle) { _, context, _, count, granted in
            guard count > 0, let granted = unsafe granted else { return }
            unsafe Inbox.at(context)?.events.append(.subscribed(reason: granted[0]))
        }
        unsafe mosquitto_log_callback_set(handle) { _, context, level, text in
            guard level == cmosquitto_log_error, let text = unsafe text else { return }
            unsafe Inbox.at(context)?.complaint = String(cString: text)
        }
    }

    /// Connects, however long that takes; why it could not, nil if it could.
    func connect() -> ConnectionEnd? {
        var failure: ConnectionEnd?
        for host in Self.hosts(of: server) {
            let code = unsafe cmosquitto_connect(
                handle, host, Int32(server.port), Self.patienceSeconds, keepaliveSeconds, sessionSeconds,
                packetMaximum)
            var error = errno
            if code == cmosquitto_success { return nil }
            if code == cmosquitto_errno, error == EBADF { error = causeOfFailure(at: host) }
            let isThere = code != cmosquitto_no_name && !(code == cmosquitto_errno && Self.absences.contains(error))
            failure = end(code, error, isThere ? .broken : .unreachable)
        }
        return failure
    }

    /// Why there is no connection, by another attempt; EAGAIN if the server is there meanwhile.
    ///
    /// libmosquitto 2.1 asks the socket that it then does not have for its peer, which replaces the error.
    private func causeOfFailure(at host: String) -> Int32 {
        do throws(SystemError) {
            let endpoints = try TCPEndpoint.resolve(host, port: server.port, withinNanoseconds: nil)
            _ = try TCPConnection(to: endpoints, withinNanoseconds: TCPConnection.patienceNanoseconds)
            return EAGAIN
        } catch { return error.code }
    }

    /// Failures of a connection that never was. `connect(2)`
    private static let absences: Set<Int32> = [
        ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, EAFNOSUPPORT, EACCES,
        EPERM, EINVAL, EMFILE, ENFILE, EAGAIN,
    ]

    /// What to connect to, in this order.
    ///
    /// `localhost` is the loopback, whatever the resolver answers. With encryption the library compares the certificate
    /// with what it connects to, so the name comes first there; what another host makes of it, the certificate shows.
    static func hosts(of server: ServerAddress) -> [String] {
        guard Loopback.isName(server.host) else { return [server.host] }
        return (server.isEncrypted ? [server.host] : []) + Loopback.addresses
    }

    /// The socket; -1 if there is none.
    var socket: Int32 { unsafe mosquitto_socket(handle) }
    var wantsToWrite: Bool { unsafe mosquitto_want_write(handle) }
    /// The longest time from one turn to the next: a server gives up after one and a half of its keepalives.
    var pulseNanoseconds: Int64 { inbox.keepaliveSeconds * Nanoseconds.second * 2 / 5 }

    /// Reads and writes what can be, and keeps the connection alive; how it ended, nil if it did not.
    func turn(isReadable: Bool) -> ConnectionEnd? {
        errno = 0
        var code = cmosquitto_success
        if isReadable { code = read() }
        if code == 0, wantsToWrite { code = unsafe mosquitto_loop_write(handle, 1_000) }
        // Before the greeting the library would end it after one keepalive, as if the server had: for that the link has its own patience.
        if code == 0, inbox.isGreeted { code = unsafe mosquitto_loop_misc(handle) }
        if code == 0, inbox.pingsSeldom { code = probe(Clock.bootNanoseconds()) }
        if code == 0, socket >= 0 { return nil }
        // A server of 3.1.1 refuses without the properties of 5: libmosquitto 2.0.11 gives that reason, 2.0.21 none.
        if code == cmosquitto_malformed, isFive, !inbox.isGreeted {
            inbox.events.append(.connected(Greeting(reason: 0x84)))
        }
        return code == 0 ? ConnectionEnd(.broken, "the server closed the connection") : end(code, errno, .broken)
    }

    /// Asks the server for something that changes nothing, since the library, which alone can ping, does that too seldom.
    private func probe(_ now: Int64) -> Int32 {
        let (silence, keepalive) = (now - received, inbox.keepaliveSeconds * Nanoseconds.second)
        if silence > 2 * keepalive { return cmosquitto_keepalive }
        guard silence > keepalive, probed <= received else { return cmosquitto_success }
        probed = now
        return unsafe mosquitto_unsubscribe_v5(handle, nil, "sensorbroker", nil)
    }

    /// Reads until nothing is there: with encryption, what the library holds already does not make the socket readable.
    private func read() -> Int32 {
        for _ in 0..<Self.mostReads {
            let count = inbox.events.count
            var isDry = false
            let code = unsafe cmosquitto_read(handle, &isDry)
            mayHoldMore = !(isDry && inbox.events.count == count)
            if mayHoldMore { received = Clock.bootNanoseconds() }
            let isFull = inbox.events.count >= Self.mostEvents || inbox.bytes >= Self.mostBytes
            if code != 0 || socket < 0 || !mayHoldMore || isFull { return code }
        }
        return cmosquitto_success
    }

    /// Whether there may be more than the last turn took, even if the socket is not readable.
    private(set) var mayHoldMore = false
    /// When something was received, and when the server was asked whether it is there.
    private var received: Int64 = 0
    private var probed: Int64 = 0

    /// What came since the last call.
    func takeEvents() -> [ServerEvent] {
        let events = inbox.events
        inbox.bytes = 0
        inbox.events.removeAll(keepingCapacity: true)
        return events
    }

    /// Sends a message, at quality 1 if the server takes that.
    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool) -> Sending {
        var identifier: Int32 = 0
        switch unsafe mosquitto_publish_v5(
            handle, &identifier, topic, Int32(clamping: payload.count), payload, inbox.quality, isRetained,
            nil)
        {
        case cmosquitto_success: return inbox.quality > 0 ? .sent(identifier) : .unacknowledged
        case cmosquitto_oversize, cmosquitto_payload_size: return .tooLarge
        default: return .ended
        }
    }

    /// Asks for the messages of a topic, without our own where the server knows that option.
    func subscribe(_ topic: String) {
        unsafe mosquitto_subscribe_v5(handle, nil, topic, 1, cmosquitto_no_local, nil)
    }

    /// Ends the connection in order, unless the server takes nothing more.
    ///
    /// The library reports no failure of a socket once the connection is to end.
    func disconnect() {
        _ = unsafe cmosquitto_disconnect(handle, sessionSeconds > 0)
        let deadline = Clock.bootNanoseconds() + Self.farewellNanoseconds
        while wantsToWrite, socket >= 0, Clock.bootNanoseconds() < deadline,
            unsafe mosquitto_loop_write(handle, 100) == 0
        {
            usleep(1_000)
        }
    }

    // MARK: Words

    private func end(_ code: Int32, _ error: Int32, _ cause: ConnectionEnd.Cause) -> ConnectionEnd {
        let isEncrypted = server.isEncrypted && (code == cmosquitto_tls || inbox.complaint != nil)
        if isEncrypted || inbox.complaint != nil {
            return ConnectionEnd(isEncrypted ? .encryption : cause, Self.words(code, inbox.complaint))
        }
        if code == cmosquitto_no_name {
            return ConnectionEnd(cause, "there is no address of \(server.host)\(Self.resolverWords(error))")
        }
        if code == cmosquitto_errno {
            // The library's word for any error of OpenSSL.
            if server.isEncrypted, error == EPROTO {
                return ConnectionEnd(.encryption, "the encrypted connection broke")
            }
            return ConnectionEnd(cause, error == 0 ? "the connection broke" : SystemError.words(for: error))
        }
        if code == cmosquitto_keepalive { return ConnectionEnd(cause, "the server did not answer in time") }
        return ConnectionEnd(cause, Self.words(code, nil))
    }

    /// The library names no more than the kind of failure, and not each.
    private static func words(_ code: Int32, _ complaint: String?) -> String {
        if let complaint { return complaint }
        let words = unsafe String(cString: mosquitto_strerror(code))
        return words == "Unknown error." ? "the connection broke (libmosquitto's error \(code))" : words
    }

    /// Nothing where libmosquitto 2.1 has replaced the resolver's error, which is negative.
    private static func resolverWords(_ code: Int32) -> String {
        guard code < 0 else { return "" }
        return ": " + (unsafe gai_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)")
    }

    /// The name of a reason.
    package static func reason(_ code: Int32) -> String {
        if code == 0x10 { return "nobody has subscribed to it" }
        let words = unsafe String(cString: code < 0x80 ? mosquitto_connack_string(code) : mosquitto_reason_string(code))
        return "\(words) (0x\(String(code, radix: 16)))"
    }
}
