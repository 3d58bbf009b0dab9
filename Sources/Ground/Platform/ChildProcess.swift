internal import CLinux
internal import Glibc

/// A program that runs as a child of this process, and gets SIGTERM when this process ends, however it ends.
///
/// The kernel sends that signal, even after a SIGKILL to this process. It does so when the thread that started the child
/// ends, so that thread must live as long as the process. A set-user-id program does not get the signal.
public struct ChildProcess: Sendable {
    private let processID: pid_t

    /// Starts a program from the PATH, with one more environment variable. `fork(2)`, `execvpe(3)`, `prctl(2)`
    /// PR_SET_PDEATHSIG
    public init(_ words: [String], setting variable: (name: String, value: String)) throws(SystemError) {
        var environment = Self.environment.filter { !$0.hasPrefix("\(variable.name)=") }
        environment.append("\(variable.name)=\(variable.value)")
        var processID: pid_t = 0
        let code = unsafe Self.withPointers(to: words) { arguments in
            unsafe Self.withPointers(to: environment) { unsafe clinux_spawn(&processID, arguments, $0) }
        }
        guard code == 0 else { throw SystemError("run \(words.first ?? "")", code: code) }
        self.processID = processID
    }

    /// Sends SIGTERM. `kill(2)`
    public func terminate() { kill(processID, SIGTERM) }

    /// The exit status, or 128 plus the number of the signal; nil while the program runs. `waitpid(2)`
    ///
    /// Returned once. All children that have ended are reaped, because they would otherwise stay in the process table:
    /// process 1 of a container inherits orphans.
    public func exitStatus() -> Int32? {
        Self.reap().first { $0.processID == processID }?.status
    }

    /// Reaps all children that have ended, including inherited ones. `waitpid(2)`
    @discardableResult
    public static func reap() -> [(processID: Int32, status: Int32)] {
        var ended: [(processID: Int32, status: Int32)] = []
        var status: Int32 = 0
        while true {
            let processID = unsafe clinux_reap(&status)
            guard processID > 0 else { return ended }
            ended.append((processID, status))
        }
    }

    /// The environment without the variables that the service manager set for this process.
    static var environment: [String] {
        var variables: [String] = []
        var next = unsafe environ
        while let text = unsafe next.pointee {
            variables.append(unsafe String(cString: text))
            unsafe next += 1
        }
        let own = ["NOTIFY_SOCKET=", "LISTEN_", "WATCHDOG_"]
        return variables.filter { variable in !own.contains { variable.hasPrefix($0) } }
    }

    /// Texts as C wants them: pointers, and nil behind the last.
    static func withPointers<Result>(
        to texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        return unsafe (copies + [nil]).withUnsafeBufferPointer { buffer in
            // An array that ends with nil has a beginning.
            guard let base = buffer.baseAddress else { preconditionFailure("an empty array") }
            return unsafe body(base)
        }
    }
}
