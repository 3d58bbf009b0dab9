internal import Glibc
internal import Platform

/// The command that a broker was started for, and that it ends with; perhaps none.
///
/// Asked to stop, the broker asks the command to end and serves it until it has; asked again, it ends without it.
final class Errand {
    private let command: [String]
    private var child: ChildProcess?
    private var hasAsked = false
    /// How the broker is to exit.
    private(set) var exitStatus = ExitStatus.done

    /// One that has not begun.
    init(_ command: [String]) { self.command = command }

    /// Runs the command, if there is one; returns false where that is not possible, and says why.
    func begin(at socket: String, _ journal: Journal) -> Bool {
        guard !command.isEmpty else { return true }
        do throws(SystemError) {
            child = try ChildProcess(command, setting: ("SENSORBROKER_SOCKET", socket))
            return true
        } catch {
            exitStatus = error.code == ENOENT ? .notFound : .notRunnable
            journal.write(.error, "\(error); is it written as you would type it behind --exec?")
            return false
        }
    }

    /// Passes on that the broker is to stop; false where nothing is to be waited for.
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
