internal import Admission
internal import Delivery
internal import Readings
internal import Varlink

/// What a daemon leaves to its successor besides its clients' sockets.
///
/// A handover is text, so that people can read it in an emergency: a line with the version, the resources and the
/// number of connections, then a line for each connection. A successor takes all of it or nothing: it does not guess at
/// a text that it does not understand completely, because the text has another version or is cut short; clients that it
/// drops connect again.
struct Handover: Equatable {
    /// Of several texts that one process has left, the latest generation counts.
    var generation: Int64 = 0
    /// Whether the ledger beside it shows what has happened since: it was written while the daemon ran, in case it
    /// should die.
    var needsLedger = false
    var resources: [HandedResource] = []
    var connections: [HandedConnection] = []
    var releases = Releases()

    /// Increased with each change of the format.
    static let version: Int64 = 4

    /// The size limit of a text: far more than all clients together should ever need.
    static let bytes = 64 << 20

    private static let limits = JSONLimits(depth: 8, keysPerObject: 16)

    init() {}

    /// A handover with these resources, and no connections yet.
    init(_ resources: [OwnedResource], _ releases: Releases) {
        self.resources = resources.map { HandedResource($0.core) }
        self.releases = releases
    }

    init(_ text: [UInt8]) throws(HandoverFault) {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        // Nothing may follow the end of the last line.
        guard lines.popLast()?.isEmpty == true, let first = lines.popFirst() else { throw .cutShort }
        let header = try Self.object(first)
        let version = try understood { () throws(VarlinkError) in try header.integer("version") }
        guard version == Self.version else { throw .version(version) }
        let count = try understood { () throws(VarlinkError) in
            try header.allowOnly("version", "generation", "needsLedger", "resources", "releases", "connections")
            var orders: [Releases.Order] = []
            for object in try header.optionalObjects("releases") ?? [] { orders.append(try Releases.Order(object)) }
            releases = Releases(orders)
            generation = try header.integer("generation", in: 0...(1 << 53))
            needsLedger = try header.bool("needsLedger")
            for object in try header.objects("resources") { resources.append(try HandedResource(object)) }
            return try header.integer("connections")
        }
        guard count == lines.count else { throw .cutShort }
        for line in lines {
            let object = try Self.object(line)
            connections.append(try understood { () throws(VarlinkError) in try HandedConnection(object) })
        }
        try check()
    }

    /// The text that `init` reads.
    var text: [UInt8] {
        var writer = JSONWriter(capacity: 512 * (connections.count + 1))
        writer.beginObject()
        writer.member("version", Self.version)
        writer.member("generation", generation)
        writer.member("needsLedger", needsLedger)
        writer.beginArray("resources")
        for resource in resources { resource.write(to: &writer) }
        writer.endArray()
        if !releases.orders.isEmpty {
            writer.beginArray("releases")
            for order in releases.orders { order.write(to: &writer) }
            writer.endArray()
        }
        writer.member("connections", Int64(connections.count))
        writer.endObject()
        var text = writer.bytes + [UInt8(ascii: "\n")]
        for connection in connections {
            writer.removeAll()
            connection.write(to: &writer)
            text += writer.bytes
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }

    /// Each resource and each socket occurs once, and everything named exists.
    private func check() throws(HandoverFault) {
        let names = Set(resources.map(\.name))
        guard connections.allSatisfy({ $0.resources.allSatisfy(names.contains) }), names.count == resources.count,
            names.count <= Limits.resources,
            Set(connections.map(\.cookie)).count == connections.count
        else { throw .malformed("connections") }
    }

    private static func object(_ line: some Collection<UInt8>) throws(HandoverFault) -> Parameters {
        guard let value = try? JSONReader.read(Array(line), limits: limits), case .object(let object) = value else {
            throw .malformed(String(decoding: line.prefix(40), as: UTF8.self))
        }
        return Parameters(object)
    }
}

/// Turns the errors of reading an object into faults of the handover.
private func understood<Value>(_ read: () throws(VarlinkError) -> Value) throws(HandoverFault) -> Value {
    do throws(VarlinkError) { return try read() } catch {
        guard case .invalidParameter(let name) = error else { throw .malformed(error.name) }
        throw .malformed(name)
    }
}

/// Why a handover cannot be used.
enum HandoverFault: Error, Equatable, CustomStringConvertible {
    /// Another version of the daemon wrote the handover.
    case version(Int64)
    /// The handover's end is missing.
    case cutShort
    /// There is none, or something that belongs to it is missing.
    case missing
    /// Something in it is not as it should be.
    case malformed(String)

    var description: String {
        switch self {
        case .version(let version): "it has version \(version), not \(Handover.version)"
        case .missing: "it is missing"
        case .cutShort: "its end is missing"
        case .malformed(let what): "'\(what)' in it is invalid"
        }
    }
}

/// An administrator's order about releases, as one daemon leaves it to the next.
extension Releases.Order {
    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly("resource", "kind", "isRelease", "until")
        let kind = try parameters.optionalKind("kind")
        let name = try parameters.optionalString("resource")
        guard kind == nil || name == nil else { throw .invalidParameter("kind") }
        self.init(
            scope: try name.map { (_) throws(VarlinkError) in .resource(try parameters.resourceName("resource")) }
                ?? kind.map { .kind($0) } ?? .all,
            isRelease: try parameters.bool("isRelease"), until: try parameters.optionalInstant("until"))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch scope {
        case .resource(let name): writer.member("resource", name.description)
        case .kind(let kind): writer.member("kind", kind.wire)
        case .all: break
        }
        writer.member("isRelease", isRelease)
        writer.member("until", until?.nanoseconds)
        writer.endObject()
    }
}
