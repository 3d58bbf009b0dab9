public import Varlink

/// What stands in a reply of the broker, kept beside the object that it came in: that may have members which are newer
/// than this program, and they are passed over, not refused.
public protocol Decoded: Equatable, Sendable {
    /// The value of an object.
    init(_ parameters: Parameters) throws(VarlinkError)
}

extension Decoded {
    /// The values of a list.
    public static func all(_ objects: [Parameters]) throws(VarlinkError) -> [Self] {
        try objects.map { object throws(VarlinkError) in try Self(object) }
    }
}

/// Reads an answer; one that lacks what the interface promises is not from a broker that we know.
public func understand<Value>(_ read: () throws(VarlinkError) -> Value) throws(ConnectionFault) -> Value {
    do { return try read() } catch {
        guard case .invalidParameter(let name) = error else { throw .unintelligible(error.name) }
        throw .improper(name)
    }
}
