internal import Delivery
internal import Readings
internal import Varlink

/// A client's connection as one daemon leaves it to the next, besides the socket itself.
///
/// The socket keeps the client's identity, the bytes that the client has sent and nobody has read, and the bytes that
/// it has been sent and has not read.
struct HandedConnection: Equatable {
    /// What the client is in the middle of.
    enum Task: Equatable {
        /// Nothing: it waits for its next call.
        case none
        /// The client watches the list of resources.
        case list
        /// The administrator waits for the devices of these resources to be closed.
        case release([ResourceName])
        /// The client waits for a reading.
        case read(HandedRead)
        /// The client has a stream.
        case stream(HandedStream)
    }

    /// The kernel's own id of the socket, by which it is found among all sockets.
    let cookie: UInt64
    /// The socket through which it connected: this decides who answers its calls.
    let door: Door
    /// The connection's number for people.
    let serial: Int
    let slot: LedgerSlot
    let connectedSince: BootTime
    /// Bytes of calls that have been read but not served.
    var unread: [UInt8] = []
    /// The rest of a message whose beginning has been sent, and replies after it.
    var unsent: [UInt8] = []
    /// Whether its socket was found full.
    var isBlocked = false
    var task = Task.none

    /// The resources that it waits for, or streams.
    var resources: [ResourceName] {
        switch task {
        case .none, .list, .release: []
        case .read(let read): [read.resource]
        case .stream(let stream): stream.parts.map(\.request.resource)
        }
    }

    /// The same connection after everything pending has been sent.
    var caughtUp: HandedConnection {
        var other = self
        other.unsent = []
        other.isBlocked = false
        if case .stream(let stream) = task { other.task = .stream(stream.caughtUp) }
        return other
    }

    mutating func updateParts(of resource: ResourceName, _ change: (inout HandedPart) -> Void) {
        guard case .stream(var stream) = task else { return }
        for index in stream.parts.indices where stream.parts[index].request.resource == resource {
            change(&stream.parts[index])
        }
        task = .stream(stream)
    }

    /// More than one call, or than a reply that lists all clients.
    static let bytes = 1 << 20
}

extension HandedConnection {
    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly(
            "cookie", "door", "serial", "place", "connected", "unread", "unsent", "isBlocked", "list", "release",
            "read", "stream")
        cookie = UInt64(bitPattern: try parameters.integer("cookie"))
        door = try parameters.enumeration("door", Door.self)
        serial = Int(try parameters.integer("serial", in: 1...(1 << 53)))
        slot = LedgerSlot(Int(try parameters.integer("place", in: 0...(1 << 32))))
        connectedSince = try parameters.instant("connected")
        unread = try parameters.bytes("unread", atMost: Self.bytes)
        unsent = try parameters.bytes("unsent", atMost: Self.bytes)
        isBlocked = try parameters.optionalBool("isBlocked") ?? false
        task = try Self.task(parameters)
        let isOfDoor =
            switch task {
            case .none: true
            case .release: door == .administrators
            case .list, .read, .stream: door == .clients
            }
        guard isOfDoor else { throw .invalidParameter("door") }
    }

    private static func task(_ parameters: Parameters) throws(VarlinkError) -> Task {
        let list = try parameters.optionalBool("list") ?? false
        let release = try parameters.optionalStrings("release")
        switch (list, release, try parameters.optionalObject("read"), try parameters.optionalObject("stream")) {
        case (false, nil, nil, nil): return .none
        case (true, nil, nil, nil): return .list
        case (false, let names?, nil, nil):
            let resources = names.compactMap { ResourceName($0) }
            guard resources.count == names.count else { throw .invalidParameter("release") }
            return .release(resources)
        case (false, nil, let read?, nil): return .read(try HandedRead(read))
        case (false, nil, nil, let stream?): return .stream(try HandedStream(stream))
        default: throw .invalidParameter("stream")
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("cookie", Int64(bitPattern: cookie))
        writer.member("door", door.rawValue)
        writer.member("serial", Int64(serial))
        writer.member("place", Int64(slot.number))
        writer.member("connected", connectedSince.nanoseconds)
        if !unread.isEmpty { writer.member("unread", Hexadecimal.text(unread)) }
        if !unsent.isEmpty { writer.member("unsent", Hexadecimal.text(unsent)) }
        if isBlocked { writer.member("isBlocked", true) }
        switch task {
        case .none: break
        case .list: writer.member("list", true)
        case .release(let names): writer.member("release", names.map(\.description))
        case .read(let read):
            writer.key("read")
            read.write(to: &writer)
        case .stream(let stream):
            writer.key("stream")
            stream.write(to: &writer)
        }
        writer.endObject()
    }
}
