/// Why a lock was not taken.
public enum LockFailure: Error, Equatable, CustomStringConvertible {
    /// Another process has it; its id, where it left one.
    case held(path: String, processID: Int32?)
    /// Another process holds the name; its peer, if the kernel could tell.
    case taken(name: String, by: Peer?)
    /// The lock cannot be used.
    case system(SystemError)

    /// What happened, in words.
    public var description: String {
        switch self {
        case .held(let path, let processID?): "pid \(processID) holds \(path)"
        // A process in another pid namespace has no id here.
        case .taken(let name, let peer?) where peer.processID > 0:
            "pid \(peer.processID) holds \(name) as user \(peer.userID)"
        case .taken(let name, let peer?): "a process of user \(peer.userID) in another container holds \(name)"
        case .held(let name, nil), .taken(let name, nil): "another process holds \(name)"
        case .system(let error): error.description
        }
    }
}
