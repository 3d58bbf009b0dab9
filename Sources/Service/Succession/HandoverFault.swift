/// Why a handover is not taken up.
enum HandoverFault: Error, Equatable, CustomStringConvertible {
    /// It is of another version of the daemon.
    case version(Int64)
    /// Its end is missing.
    case cutShort
    /// There is none, or what belongs to it is not there.
    case missing
    /// Something in it is not as it should be.
    case malformed(String)

    var description: String {
        switch self {
        case .version(let version): "it is of version \(version), not \(Handover.version)"
        case .missing: "there is nothing"
        case .cutShort: "its end is missing"
        case .malformed(let what): "'\(what)' in it is not understood"
        }
    }
}
