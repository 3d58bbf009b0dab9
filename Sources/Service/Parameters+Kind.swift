internal import Readings
internal import Varlink

extension Parameters {
    /// A kind by its name on the wire, if it is there.
    func optionalKind(_ name: String) throws(VarlinkError) -> Kind? {
        guard let text = try optionalString(name) else { return nil }
        guard let kind = Kind(wire: text) else { throw .invalidParameter(name) }
        return kind
    }

    /// A kind by its name on the wire.
    func kind(_ name: String) throws(VarlinkError) -> Kind {
        guard let kind = try optionalKind(name) else { throw .invalidParameter(name) }
        return kind
    }
}
