internal import Glibc
internal import Platform

/// Runs another program and returns its output.
enum ProgramOutput {
    /// Runs a shell command line, and returns its exit status and output; nil if it could not be run. `popen(3)`
    ///
    /// The line is a constant of this program; anything else is passed in its arguments, `"$@"`. Programs are also looked
    /// for beside this one, and where administrators have theirs: cron and monitoring systems name few directories.
    static func of(_ line: StaticString, _ arguments: [String] = []) -> (status: Int32, text: String)? {
        let words = arguments.map { " " + quoted($0) }.joined()
        let beside = quoted(ProcessIdentity.programDirectory ?? "/usr/local/bin")
        let path = "PATH=${PATH:-/usr/bin:/bin}:\(beside):/usr/sbin:/usr/local/sbin"
        guard let stream = unsafe popen("\(path); set --\(words); \(line)", "r") else { return nil }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < 1 << 20 {
            let count = unsafe fread(&chunk, 1, chunk.count, stream)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let status = unsafe pclose(stream)
        guard status >= 0, status & 0x7f == 0 else { return nil }
        return (status >> 8 & 0xff, String(decoding: bytes, as: UTF8.self))
    }

    /// A word quoted for the shell.
    private static func quoted(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
