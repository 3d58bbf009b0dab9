internal import Glibc
internal import Platform
internal import Programs

/// Where a feed's bytes come from: the standard input, or a command that runs while somebody wants its lines.
final class FeedSource {
    /// What came of a look.
    enum Found {
        case bytes([UInt8])
        case nothing
        /// The standard input has ended.
        case end
    }

    /// So many bytes are fewer lines than a feed gathers.
    private static let piece = 1 << 14

    private let command: String?
    private var run = CommandRun()
    private var process: ShellCommand?
    /// The descriptor that a loop waits for.
    private var watched: Int32?
    /// Whether the standard input is a file, which can always be read, and for which no loop can wait.
    private(set) var isAlwaysReady = false

    /// The standard input, or a command.
    init(command: String?) { self.command = command }

    /// Whether its first line may have lost its beginning, since it is a serial line or a terminal. `isatty(3)`
    var startsAnywhere: Bool { command == nil && isatty(STDIN_FILENO) == 1 }

    /// Has a loop wait for the standard input under a token.
    func begin(_ loop: borrowing EventLoop, token: UInt64) throws(Failure) {
        guard command == nil else { return }
        do throws(SystemError) {
            try loop.add(STDIN_FILENO, .read, token: token)
            watched = STDIN_FILENO
        } catch {
            guard error.code == EPERM else { throw Failure(.noInput, "cannot read the standard input: \(error)") }
            isAlwaysReady = true
        }
    }

    /// When to act without an event; nil: never.
    func deadline(_ now: Int64) -> Int64? { run.deadline(now) }

    /// Does what is to be done with the command, which is over when its output has been read; returns what its user is to know of it, and whether it was started.
    func follow(
        isWanted: Bool, _ loop: borrowing EventLoop, token: UInt64, _ now: Int64
    ) -> (note: String?, hasStarted: Bool) {
        guard let command else { return (nil, false) }
        var note: String?
        if run.isThere, process?.isOver() ?? true, watched == nil || run.isEnding { note = end(loop, now) }
        switch run.deed(isWanted: isWanted, now) {
        case .start:
            do throws(SystemError) {
                let process = try ShellCommand(command)
                try loop.add(process.number, .read, token: token)
                watched = process.number
                self.process = consume process
                return (note, true)
            } catch { return ("cannot run the command: \(error)" + retry(run.end(now)), false) }
        case .terminate: process?.terminate()
        case .kill: process?.end()
        case nil: break
        }
        return (note, false)
    }

    private func end(_ loop: borrowing EventLoop, _ now: Int64) -> String? {
        let status = process?.status ?? 0
        stopWatching(loop)
        process = nil
        guard let pause = run.end(now), status != 0 else { return nil }
        return "the command ended with \(status)" + retry(pause)
    }

    private func retry(_ pause: Int64?) -> String {
        guard let pause else { return "" }
        return "; it is started again in \(Double(pause) / Double(Nanoseconds.second)) s if readings are wanted then"
    }

    private func stopWatching(_ loop: borrowing EventLoop) {
        if let watched { loop.remove(watched) }
        watched = nil
    }

    /// Reads what is there. `read(2)`
    func read(_ loop: borrowing EventLoop) throws(Failure) -> Found {
        guard let number = isAlwaysReady ? STDIN_FILENO : watched else { return .nothing }
        do throws(SystemError) {
            let bytes = try OtherProcess.next(number, Self.piece)
            if !bytes.isEmpty { return .bytes(bytes) }
            stopWatching(loop)
            return command == nil ? .end : .nothing
        } catch {
            if error.code == EAGAIN { return .nothing }
            stopWatching(loop)
            guard command == nil else { return .nothing }
            throw Failure(.inputOutput, "cannot read the standard input: \(error)")
        }
    }

    /// Ends the command, which gets a moment for it.
    func stop() {
        guard run.isThere, process != nil else { return }
        process?.terminate()
        var now = Clock.bootNanoseconds()
        _ = run.deed(isWanted: false, now)
        while run.isThere, process?.isOver() == false {
            _ = Wait.untilReadable(-1, nanoseconds: run.deadline(now).map { max(0, $0 - now) } ?? 0)
            now = Clock.bootNanoseconds()
            if run.deed(isWanted: false, now) == .kill { process?.end() }
        }
    }
}
