internal import Admission
internal import Delivery
internal import Readings
internal import Varlink

/// What a daemon leaves to its successor beside its clients' sockets.
///
/// As text, so that it can be read in an emergency: a line with the version, the resources and the number of connections,
/// then a line for each of those. A successor takes all of it or nothing: what it does not understand to the letter, be it
/// of another version or cut short, it does not guess at, and clients that it lets go come again by themselves.
struct Handover: Equatable {
    /// Of several that one process has left, the latest counts.
    var generation: Int64 = 0
    /// Whether the ledger beside it says what has happened since: it was written while the daemon ran, in case it should die.
    var needsLedger = false
    var resources: [HandedResource] = []
    var connections: [HandedConnection] = []
    /// What the administrator has given up.
    var releases = Releases()

    /// Counted up with each change of what stands in it.
    static let version: Int64 = 3

    /// What a text may come to: far more than all clients together should ever need.
    static let bytes = 64 << 20

    private static let limits = JSONLimits(depth: 8, keys: 4_096, keysPerObject: 16)

    init() {}

    /// Of these resources, and no connections yet.
    init(_ resources: [ServedResource], _ releases: Releases) {
        self.resources = resources.map { HandedResource($0.core) }
        self.releases = releases
    }

    /// The handover in a text.
    init(_ text: [UInt8]) throws(HandoverFault) {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        // Behind the last line's end there is nothing.
        guard lines.popLast()?.isEmpty == true, let first = lines.popFirst() else { throw .cutShort }
        let header = try Self.object(first)
        let version = try understood { () throws(VarlinkError) in try header.integer("version") }
        guard version == Self.version else { throw .version(version) }
        let count = try understood { () throws(VarlinkError) in
            try header.allowOnly("version", "generation", "needsLedger", "resources", "releases", "connections")
            var words: [Releases.Word] = []
            for object in try header.optionalObjects("releases") ?? [] { words.append(try Releases.Word(object)) }
            releases = Releases(words)
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

    /// The text that `init` takes.
    var text: [UInt8] {
        var writer = JSONWriter(capacity: 512 * (connections.count + 1))
        writer.beginObject()
        writer.member("version", Self.version)
        writer.member("generation", generation)
        writer.member("needsLedger", needsLedger)
        writer.key("resources")
        writer.beginArray()
        for resource in resources { resource.write(to: &writer) }
        writer.endArray()
        if !releases.words.isEmpty {
            writer.key("releases")
            writer.beginArray()
            for word in releases.words { word.write(to: &writer) }
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

    /// Each resource and each socket once, and all that is named is there.
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

/// Has what is read from an object throw a handover's fault.
private func understood<Value>(_ read: () throws(VarlinkError) -> Value) throws(HandoverFault) -> Value {
    do throws(VarlinkError) { return try read() } catch {
        guard case .invalidParameter(let name) = error else { throw .malformed(error.name) }
        throw .malformed(name)
    }
}
