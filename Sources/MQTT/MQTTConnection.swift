internal import CMosquitto
public import Fleet
internal import Glibc
public import Platform

/// One connection of libmosquitto, from its dialling to its end.
///
/// The library's own loop is not used: it ends silently if the server ends the connection with a reason.
@safe public final class MQTTConnection: ServerConnection {
    /// What the library's callbacks leave for the loop.
    private final class Inbox {
        var events: [ServerEvent] = []
        var complaint: String?
        var retains = true
        let mostPayloadBytes: Int

        init(mostPayloadBytes: Int) { self.mostPayloadBytes = mostPayloadBytes }
    }

    private let handle: OpaquePointer
    private let inbox: Inbox
    private let sessionSeconds: UInt32
    private let packetMaximum: UInt32
    private let keepaliveSeconds: Int32
    /// A turn takes no more messages, so that whoever calls gets to do something with them.
    private static let mostEvents = 512

    /// Prepares the library, once for the process.
    public static func begin() { mosquitto_lib_init() }

    /// A connection that has not begun, as planned.
    public static func prepared(_ plan: ConnectionPlan) throws(StartFailure) -> MQTTConnection {
        let inbox = Inbox(mostPayloadBytes: plan.mostPayloadBytes)
        let context = unsafe Unmanaged.passUnretained(inbox).toOpaque()
        guard let handle = unsafe mosquitto_new(plan.clientID, plan.sessionSeconds == 0, context) else {
            throw StartFailure(71, "libmosquitto has no memory for a connection")
        }
        let connection = unsafe MQTTConnection(handle, inbox, plan)
        let code = connection.configure(plan)
        guard code == 0 else {
            throw StartFailure(78, "libmosquitto does not accept the settings: \(words(code, inbox.complaint))")
        }
        return connection
    }

    private init(_ handle: OpaquePointer, _ inbox: Inbox, _ plan: ConnectionPlan) {
        unsafe self.handle = handle
        self.inbox = inbox
        // Servers of version 3.1.1 cannot be told.
        let isNew = plan.version == .five
        keepaliveSeconds = plan.keepaliveSeconds
        sessionSeconds = isNew ? plan.sessionSeconds : 0
        packetMaximum = isNew ? UInt32(clamping: plan.mostPayloadBytes + 1_024) : 0
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
                handle, will.topic, Int32(clamping: will.payload.count), will.payload, 1, plan.isWillKept)
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
        unsafe mosquitto_connect_v5_callback_set(handle) { handle, inbox, reason, _, properties in
            // It is for errors of the handshake, and the library would write a line for each message.
            unsafe mosquitto_log_callback_set(handle, nil)
            let receive = unsafe cmosquitto_receive_maximum(properties)
            let packet = unsafe cmosquitto_packet_maximum(properties)
            let retains = unsafe cmosquitto_retains(properties)
            if let inbox = unsafe inbox {
                unsafe Unmanaged<Inbox>.fromOpaque(inbox).takeUnretainedValue().retains = retains
            }
            unsafe MQTTConnection.note(
                inbox,
                .connected(
                    reason: reason, receiveMaximum: receive > 0 ? Int(receive) : nil,
                    packetMaximum: packet > 0 ? Int(packet) : nil,
                    maximumQoS: cmosquitto_maximum_qos(properties)))
        }
        unsafe mosquitto_disconnect_v5_callback_set(handle) { _, inbox, reason, _ in
            if reason >= 0x80 { unsafe MQTTConnection.note(inbox, .disconnected(reason: reason)) }
        }
        unsafe mosquitto_publish_v5_callback_set(handle) { _, inbox, identifier, reason, _ in
            unsafe MQTTConnection.note(inbox, .answered(identifier: identifier, reason: reason))
        }
        unsafe mosquitto_message_v5_callback_set(handle) { _, inbox, message, _ in
            guard let message = unsafe message, let topic = unsafe message.pointee.topic, let inbox = unsafe inbox
            else { return }
            let most = unsafe Unmanaged<Inbox>.fromOpaque(inbox).takeUnretainedValue().mostPayloadBytes
            let payload = unsafe UnsafeRawBufferPointer(
                start: message.pointee.payload, count: min(Int(message.pointee.payloadlen), most))
            unsafe MQTTConnection.note(
                inbox,
                .message(
                    topic: String(cString: topic), payload: Array(payload), isRetained: message.pointee.retain))
        }
        unsafe mosquitto_subscribe_callback_set(handle) { _, inbox, _, count, granted in
            guard count > 0, let granted = unsafe granted else { return }
            unsafe MQTTConnection.note(inbox, .subscribed(reason: granted[0]))
        }
        unsafe mosquitto_log_callback_set(handle) { _, inbox, level, text in
            guard level == cmosquitto_log_error, let text = unsafe text, let inbox = unsafe inbox else { return }
            unsafe Unmanaged<Inbox>.fromOpaque(inbox).takeUnretainedValue().complaint = String(cString: text)
        }
    }

    private static func note(_ inbox: UnsafeMutableRawPointer?, _ event: ServerEvent) {
        if let inbox = unsafe inbox {
            unsafe Unmanaged<Inbox>.fromOpaque(inbox).takeUnretainedValue().events.append(event)
        }
    }

    /// Begins to connect on a thread of its own, since a look-up of a name can block for long.
    ///
    /// Nothing else may be called until the dial is done.
    public func dial(_ server: ServerAddress, _ bell: Bell) throws(SystemError) -> Dial {
        let dial = Dial()
        let address = unsafe UInt(bitPattern: handle)
        let (session, packet, keepalive) = (sessionSeconds, packetMaximum, keepaliveSeconds)
        try Thread.start(name: "dial") {
            guard let handle = unsafe OpaquePointer(bitPattern: address) else { return }
            var (code, error): (Int32, Int32) = (0, 0)
            for host in MQTTConnection.hosts(of: server) {
                code = unsafe cmosquitto_connect(
                    handle, host, Int32(server.port), keepalive, session, packet)
                error = errno
                if code == cmosquitto_success { break }
            }
            dial.finish(code, error)
            bell.event.ring()
        }
        return dial
    }

    /// What to connect to, in this order.
    ///
    /// `localhost` is the loopback, whatever the resolver says. With encryption the library compares the certificate with what it
    /// connects to, so the name comes first there; what another host makes of it, the certificate shows.
    static func hosts(of server: ServerAddress) -> [String] {
        guard Loopback.isName(server.host) else { return [server.host] }
        return (server.isEncrypted ? [server.host] : []) + Loopback.addresses
    }

    /// The socket; -1 if there is none.
    public var socket: Int32 { unsafe mosquitto_socket(handle) }
    /// Whether there is something to write.
    public var wantsToWrite: Bool { unsafe mosquitto_want_write(handle) }

    /// Reads and writes what can be, and keeps the connection alive; how it ended, nil if it did not.
    public func turn(isReadable: Bool) -> String? {
        var code = cmosquitto_success
        if isReadable { code = read() }
        if code == 0, wantsToWrite { code = unsafe mosquitto_loop_write(handle, 1_000) }
        if code == 0 { code = unsafe mosquitto_loop_misc(handle) }
        if code == 0, socket >= 0 { return nil }
        return code == 0 ? "the server closed the connection" : Self.words(code, inbox.complaint)
    }

    /// Reads until nothing is there: with encryption, what the library holds already does not make the socket readable.
    private func read() -> Int32 {
        while inbox.events.count < Self.mostEvents {
            let count = inbox.events.count
            var isDry = false
            let code = unsafe cmosquitto_read(handle, &isDry)
            if code != 0 || socket < 0 || isDry && inbox.events.count == count { return code }
        }
        return cmosquitto_success
    }

    /// Whether the server keeps messages for whoever comes later; known once it has answered to the connection.
    public var retains: Bool { inbox.retains }

    /// Whether there may be more than the last turn took, whatever the socket says.
    public var mayHoldMore: Bool { inbox.events.count >= Self.mostEvents }

    /// What came since the last call.
    public func takeEvents() -> [ServerEvent] {
        let events = inbox.events
        inbox.events.removeAll(keepingCapacity: true)
        return events
    }

    /// Sends a message at quality 1; its identifier, nil if the connection has ended.
    public func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool) -> Int32? {
        var identifier: Int32 = 0
        let code = unsafe mosquitto_publish_v5(
            handle, &identifier, topic, Int32(clamping: payload.count), payload, 1, isRetained, nil)
        return code == 0 ? identifier : nil
    }

    /// Asks for the messages of a topic, without our own where the server knows that option.
    public func subscribe(_ topic: String) {
        unsafe mosquitto_subscribe_v5(handle, nil, topic, 1, cmosquitto_no_local, nil)
    }

    /// Ends the connection in order.
    public func disconnect() {
        _ = unsafe cmosquitto_disconnect(handle, sessionSeconds > 0)
        while wantsToWrite, unsafe mosquitto_loop_write(handle, 100) == 0 {}
    }

    /// Why a dial failed; call it once the dial is done.
    public func words(_ result: Dial.Result) -> String {
        if let complaint = inbox.complaint { return complaint }
        if result.code == Int32(MOSQ_ERR_ERRNO.rawValue) { return SystemError.words(for: result.error) }
        return Self.words(result.code, nil)
    }

    private static func words(_ code: Int32, _ complaint: String?) -> String {
        if let complaint { return complaint }
        return unsafe String(cString: mosquitto_strerror(code))
    }

    /// The name of a reason.
    public static func reason(_ code: Int32) -> String {
        if code == 0x10 { return "nobody has subscribed to it" }
        let words = unsafe String(cString: code < 0x80 ? mosquitto_connack_string(code) : mosquitto_reason_string(code))
        return "\(words) (0x\(String(code, radix: 16)))"
    }
}
