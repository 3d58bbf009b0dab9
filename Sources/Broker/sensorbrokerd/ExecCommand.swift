internal import Glibc
internal import Platform
internal import Programs

/// The command given with `--exec`, if any; the broker ends with it.
///
/// At the first signal, the broker asks the command to end, and serves it until then; at the second one it ends without
/// the command.
final class ExecCommand {
    private let command: [String]
    private var child: ChildProcess?
    private var hasAsked = false
    private(set) var exitStatus = ExitStatus.done

    init(_ command: [String]) { self.command = command }

    /// Runs the command, if there is one; if that fails, it logs the reason and returns false.
    func begin(at socket: String, _ journal: Journal) -> Bool {
        guard !command.isEmpty else { return true }
        do throws(SystemError) {
            child = try ChildProcess(command, setting: ("SENSORBROKER_SOCKET", socket))
            return true
        } catch {
            exitStatus = error.code == ENOENT ? .notFound : .notRunnable
            journal.write(.error, "\(error); write the program and each argument as separate words after --exec")
            return false
        }
    }

    /// Asks the command to end; false if there is nothing to wait for.
    func isAskedToEnd() -> Bool {
        guard let child, !hasAsked else { return false }
        hasAsked = true
        child.terminate()
        return true
    }

    /// Reaps children that have ended; returns whether the command was among them.
    func isOver() -> Bool {
        guard let child else {
            ChildProcess.reap()
            return false
        }
        guard let status = child.exitStatus() else { return false }
        exitStatus = ExitStatus(rawValue: status)
        self.child = nil
        return true
    }
}
