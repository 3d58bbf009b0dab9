internal import CSystemd
internal import Glibc

/// A connection to the system bus that serves iio-sensor-proxy's interfaces. `sd_bus_open_system(3)`
///
/// Nothing here waits: neither for the bus, since calls that come meanwhile would have to be kept, and there is no limit to them.
/// What happens is put into an inbox.
@safe struct SystemBus: ~Copyable {
    /// The name that programs call.
    static let name = "net.hadess.SensorProxy"

    /// What happened on the bus, in order; and what its handlers, which must answer at once, need for that.
    @safe final class Inbox {
        /// Something that happened.
        enum Event {
            /// A method was called.
            case called(HeldCall)
            /// The bus has reported whose program this is; nil: it has left already.
            case identified(String, UInt32?)
            /// A program has left the bus, whether it was followed or not.
            case left(String)
            /// The bus has answered the request for the name: nil, or what went wrong.
            case named(error: String?)
        }

        /// What happened since this was last emptied.
        var events: [Event] = []
        /// Answers what the value of a property is.
        let property: (String) -> Property.Value?
        fileprivate let handlers = UnsafeMutablePointer<csystemd_handlers>.allocate(capacity: 1)

        init(property: @escaping (String) -> Property.Value?) {
            self.property = property
            unsafe handlers.initialize(to: csystemd_handlers())
        }

        deinit { unsafe handlers.deallocate() }
    }

    /// The inbox of this connection, which its handlers use until it is closed.
    let inbox: Inbox
    private let bus: OpaquePointer
    /// Reports each program that leaves the bus, while some are followed: a rule for each could exceed the bus's limit.
    private var leaving: OpaquePointer?
    private var asked: [String: Asked]

    /// Connects, and asks for the name once the bus has answered. `sd_bus_request_name_async(3)`
    init(inbox: Inbox) throws(BusFault) {
        var opened: OpaquePointer?
        try BusFault.check(unsafe sd_bus_open_system(&opened), "connect to the system bus")
        guard let bus = unsafe opened else { throw BusFault(what: "connect to the system bus", code: ENOMEM) }
        let context = unsafe Unmanaged.passUnretained(inbox).toOpaque()
        unsafe inbox.handlers.pointee = unsafe csystemd_handlers(call: onCall, get: onGet, context: context)
        let served = unsafe csystemd_serve_sensor_proxy(bus, inbox.handlers)
        guard served >= 0 else {
            unsafe sd_bus_close_unref(bus)
            throw BusFault(what: "serve \(Self.name)", code: -served)
        }
        self.inbox = inbox
        unsafe self.bus = unsafe bus
        asked = [:]
    }

    deinit {
        unsafe sd_bus_slot_unref(leaving)
        unsafe sd_bus_close_unref(bus)
    }

    /// Asks for the name; the answer is an event. `sd_bus_request_name_async(3)`
    func requestName() throws(BusFault) {
        let context = unsafe Unmanaged.passUnretained(inbox).toOpaque()
        try BusFault.check(
            unsafe sd_bus_request_name_async(bus, nil, Self.name, 0, onNamed, context), "ask for the name \(Self.name)")
    }

    /// Handles at most so many messages; whether there may be more. `sd_bus_process(3)`
    func process(most: Int) throws(BusFault) -> Bool {
        for _ in 0..<most {
            let result = unsafe sd_bus_process(bus, nil)
            if result == 0 { return false }
            try BusFault.check(result, "read from the system bus")
        }
        return true
    }

    /// What distinguishes this bus from every other; nil: not known. `sd_bus_get_bus_id(3)`
    ///
    /// Ask once the name is ours: before, the call may wait for the bus.
    var identity: String? {
        var text = [CChar](repeating: 0, count: 33)
        guard unsafe csystemd_bus_identity(bus, &text) >= 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }

    /// The descriptor to wait for. `sd_bus_get_fd(3)`
    var number: Int32 { unsafe sd_bus_get_fd(bus) }

    /// Whether there is something to send, besides something to read. `sd_bus_get_events(3)`
    var wantsToWrite: Bool { unsafe sd_bus_get_events(bus) & Int32(POLLOUT) != 0 }

    /// When to call `process` in any case, in microseconds of CLOCK_MONOTONIC; nil: never. `sd_bus_get_timeout(3)`
    var deadlineMicroseconds: UInt64? {
        var until = UInt64.max
        return unsafe sd_bus_get_timeout(bus, &until) >= 0 && until != .max ? until : nil
    }

    /// Asks whose program this is, and has it reported when it leaves; both are events. `sd_bus_add_match_async(3)`
    mutating func follow(_ sender: String) throws(BusFault) {
        let context = unsafe Unmanaged.passUnretained(inbox).toOpaque()
        if unsafe leaving == nil {
            let added = unsafe sd_bus_add_match_async(bus, &leaving, Self.leavingRule, onLeft, nil, context)
            try BusFault.check(added, "listen to the system bus")
        }
        let question = Asked(sender, inbox)
        let sent = unsafe csystemd_ask_user(bus, sender, onUser, Unmanaged.passUnretained(question).toOpaque())
        try BusFault.check(sent, "ask the system bus")
        asked[sender] = question
    }

    private static let leavingRule = """
        type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',\
        interface='org.freedesktop.DBus',member='NameOwnerChanged',arg2=''
        """

    /// The answer about a program has come.
    mutating func didIdentify(_ sender: String) { asked[sender] = nil }

    /// Ends following, of all programs: nothing of them wakes this one any more. `sd_bus_slot_unref(3)`
    mutating func unfollowAll() { unsafe leaving = unsafe sd_bus_slot_unref(leaving) }

    /// Announces that properties of an object changed: to one program, or to all that listen. `sd_bus_send_to(3)`
    ///
    /// Nothing is sent if there is no memory or the bus has ended, which `process` reports.
    func announce(_ object: BusObject, _ properties: [Property], to receiver: String?) {
        guard let signal = unsafe BusMessage(changesOf: object, on: bus) else { return }
        signal.append(properties, of: object)
        _ = unsafe sd_bus_send_to(bus, signal.pointer, receiver, nil)
    }
}

/// A message, until it is no longer needed.
@safe struct BusMessage: ~Copyable {
    fileprivate let pointer: OpaquePointer

    /// Keeps a message of the bus. `sd_bus_message_ref(3)`
    fileprivate init(keeping message: OpaquePointer) {
        unsafe sd_bus_message_ref(message)
        unsafe pointer = unsafe message
    }

    /// An empty signal that properties of an object changed; nil without memory. `sd_bus_message_new_signal(3)`
    fileprivate init?(changesOf object: BusObject, on bus: OpaquePointer) {
        var made: OpaquePointer?
        guard
            unsafe sd_bus_message_new_signal(
                bus, &made, object.path, "org.freedesktop.DBus.Properties", "PropertiesChanged") >= 0,
            let message = unsafe made
        else { return nil }
        unsafe pointer = unsafe message
    }

    deinit { unsafe sd_bus_message_unref(pointer) }

    /// Writes the properties of an object that changed. `sd_bus_message_append(3)`
    fileprivate func append(_ properties: [Property], of object: BusObject) {
        unsafe sd_bus_message_append_basic(pointer, CChar(UInt8(ascii: "s")), object.interface)
        unsafe sd_bus_message_open_container(pointer, CChar(UInt8(ascii: "a")), "{sv}")
        for property in properties {
            unsafe sd_bus_message_open_container(pointer, CChar(UInt8(ascii: "e")), "sv")
            unsafe sd_bus_message_append_basic(pointer, CChar(UInt8(ascii: "s")), property.name)
            unsafe sd_bus_message_open_container(pointer, CChar(UInt8(ascii: "v")), property.value.signature)
            _ = unsafe property.value.append(to: pointer)
            unsafe sd_bus_message_close_container(pointer)
            unsafe sd_bus_message_close_container(pointer)
        }
        unsafe sd_bus_message_close_container(pointer)
        // No property is announced without its value.
        unsafe sd_bus_message_append_strv(pointer, nil)
    }
}

/// A method call that is answered later.
final class HeldCall {
    private let message: BusMessage

    fileprivate init(_ message: OpaquePointer) { self.message = unsafe BusMessage(keeping: message) }

    /// The method's name. `sd_bus_message_get_member(3)`
    var method: String { unsafe sd_bus_message_get_member(message.pointer).map { unsafe String(cString: $0) } ?? "" }

    /// The caller's unique name. `sd_bus_message_get_sender(3)`
    var sender: String { unsafe sd_bus_message_get_sender(message.pointer).map { unsafe String(cString: $0) } ?? "" }

    /// Replies; nothing happens if the caller has left. `sd_bus_reply_method_return(3)`
    func answer() { unsafe csystemd_answer(message.pointer) }

    /// Replies with an error. `sd_bus_reply_method_error(3)`
    func refuse(_ name: String, _ words: String) {
        var error = unsafe sd_bus_error()
        unsafe sd_bus_error_set(&error, name, words)
        unsafe sd_bus_reply_method_error(message.pointer, &error)
        unsafe sd_bus_error_free(&error)
    }
}

/// Why the bus cannot be used.
struct BusFault: Error, CustomStringConvertible {
    /// What was attempted.
    let what: String
    /// The errno.
    let code: Int32

    /// Throws if a call of sd-bus failed.
    fileprivate static func check(_ result: Int32, _ what: String) throws(Self) {
        if result < 0 { throw Self(what: what, code: -result) }
    }

    /// What failed, and why.
    var description: String { "cannot \(what): \(unsafe String(cString: strerror(code)))" }
}

/// A question to the bus, until it is answered: whose program this is.
private final class Asked {
    let sender: String
    private let inbox: SystemBus.Inbox

    init(_ sender: String, _ inbox: SystemBus.Inbox) { (self.sender, self.inbox) = (sender, inbox) }

    func isAnswered(_ user: UInt32?) { inbox.events.append(.identified(sender, user)) }
}

extension Property.Value {
    /// The type on the bus.
    fileprivate var signature: String {
        switch self {
        case .flag: "b"
        case .text: "s"
        case .number: "d"
        }
    }

    /// Writes the value into a message. `sd_bus_message_append_basic(3)`
    fileprivate func append(to message: OpaquePointer?) -> Int32 {
        switch self {
        case .flag(let flag):
            var number: Int32 = flag ? 1 : 0
            return unsafe sd_bus_message_append_basic(message, CChar(UInt8(ascii: "b")), &number)
        case .text(let text): return unsafe sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), text)
        case .number(var number): return unsafe sd_bus_message_append_basic(message, CChar(UInt8(ascii: "d")), &number)
        }
    }
}

// What sd-bus calls. The context is the inbox or a question, which live as long as the connection.

private func onCall(_ context: UnsafeMutableRawPointer?, _ call: OpaquePointer?) -> Int32 {
    guard let context = unsafe context, let call = unsafe call else { return -EINVAL }
    let inbox = unsafe Unmanaged<SystemBus.Inbox>.fromOpaque(context).takeUnretainedValue()
    inbox.events.append(.called(unsafe HeldCall(call)))
    return 1
}

private func onGet(
    _ context: UnsafeMutableRawPointer?, _ property: UnsafePointer<CChar>?, _ reply: OpaquePointer?
) -> Int32 {
    guard let context = unsafe context, let property = unsafe property else { return -EINVAL }
    let inbox = unsafe Unmanaged<SystemBus.Inbox>.fromOpaque(context).takeUnretainedValue()
    guard let value = inbox.property(unsafe String(cString: property)) else { return -ENOENT }
    return unsafe value.append(to: reply)
}

private func onNamed(
    _ reply: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let context = unsafe context else { return -EINVAL }
    let inbox = unsafe Unmanaged<SystemBus.Inbox>.fromOpaque(context).takeUnretainedValue()
    var result: UInt32 = 0
    if let failure = unsafe sd_bus_message_get_error(reply) {
        let words = unsafe failure.pointee.message.map { unsafe String(cString: $0) }
        inbox.events.append(.named(error: words ?? "the bus refuses it"))
    } else if unsafe sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "u")), &result) > 0, result == 1 {
        inbox.events.append(.named(error: nil))
    } else {
        inbox.events.append(.named(error: "another program has it"))
    }
    return 1
}

private func onUser(
    _ reply: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let context = unsafe context else { return -EINVAL }
    let asked = unsafe Unmanaged<Asked>.fromOpaque(context).takeUnretainedValue()
    var user: UInt32 = 0
    let isKnown =
        unsafe sd_bus_message_get_error(reply) == nil
        && sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "u")), &user) > 0
    asked.isAnswered(isKnown ? user : nil)
    return 1
}

private func onLeft(
    _ signal: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let context = unsafe context else { return -EINVAL }
    let inbox = unsafe Unmanaged<SystemBus.Inbox>.fromOpaque(context).takeUnretainedValue()
    var name: UnsafePointer<CChar>?
    if unsafe sd_bus_message_read_basic(signal, CChar(UInt8(ascii: "s")), &name) > 0, let name = unsafe name {
        inbox.events.append(.left(unsafe String(cString: name)))
    }
    return 0
}
