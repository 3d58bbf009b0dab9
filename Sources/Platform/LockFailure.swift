/// Why a lock was not taken.
public enum LockFailure: Error, Equatable, CustomStringConvertible {
    /// Another process has it; its id, where it left one.
    case held(path: String, processID: Int32?)
    /// Another process holds the name.
    case taken(name: String, by: LockHolder)
    /// The lock cannot be used.
    case system(SystemError)

    /// What happened, in words.
    public var description: String {
        switch self {
        case .held(let path, let processID?): "pid \(processID) holds \(path)"
        case .held(let path, nil): "another process holds \(path)"
        // A process in another pid namespace has no id here.
        case .taken(let name, .peer(let peer)) where peer.processID > 0:
            "pid \(peer.processID) holds \(name) as user \(peer.userID)"
        case .taken(let name, .peer(let peer)):
            "a process of user \(peer.userID) in another container holds \(name)"
        case .taken(let name, .user(let userID)):
            "a process of user \(userID) holds \(name), and is flooded with connections (find it: ss -xlp)"
        case .taken(let name, .unknown):
            "a process that cannot be identified holds \(name), which may belong to anybody (find it: ss -xlp)"
        case .system(let error): error.description
        }
    }
}
