/// Why a lock was not taken.
public enum LockFailure: Error, Equatable, CustomStringConvertible {
    /// Another process has it; its id, where it left one.
    case held(path: String, processID: Int32?)
    /// The lock file cannot be used.
    case system(SystemError)

    /// What happened, in words.
    public var description: String {
        switch self {
        case .held(let path, let processID?): "pid \(processID) holds \(path)"
        case .held(let path, nil): "another process holds \(path)"
        case .system(let error): error.description
        }
    }
}
