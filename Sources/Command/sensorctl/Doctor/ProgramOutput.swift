internal import Glibc
internal import Platform

/// Runs another program and returns its output.
enum ProgramOutput {
    private static let mostBytes = 1 << 20

    /// Runs a shell command line, and returns its exit status and output; nil if it could not be run.
    ///
    /// The line is a constant of this program; anything else is passed in its arguments, `"$@"`. Programs are also looked
    /// for beside this one, and where administrators have theirs: cron and monitoring systems name few directories.
    static func of(_ line: StaticString, _ arguments: [String] = []) -> (status: Int32, text: String)? {
        let script = "PATH=${PATH:-/usr/bin:/bin}:$0:/usr/sbin:/usr/local/sbin; \(line)"
        let beside = ProcessIdentity.programDirectory ?? "/usr/local/bin"
        guard
            let process = try? OtherProcess(
                ["/bin/sh", "-c", script, beside] + arguments, [STDIN_FILENO, nil, STDERR_FILENO])
        else { return nil }
        var bytes: [UInt8] = []
        while let piece = try? OtherProcess.next(process.output.number, 4_096), !piece.isEmpty {
            if bytes.count < mostBytes { bytes += piece }
        }
        return process.status(waits: true).map { ($0, String(decoding: bytes, as: UTF8.self)) }
    }
}
