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
