internal import Admission
internal import Readings
internal import Varlink

/// An administrator's order about releases, as one daemon leaves it to the next.
extension Releases.Word {
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
