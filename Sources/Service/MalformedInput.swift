internal import Varlink

/// Why the connection of a client that sent this is closed.
enum MalformedInput: Error, CustomStringConvertible {
    case framing(FramingError)
    case call(MalformedCall)

    /// For people.
    var description: String {
        switch self {
        case .framing(let error): "\(error)"
        case .call(.json(let error)): "\(error)"
        case .call(let error): "\(error)"
        }
    }
}
