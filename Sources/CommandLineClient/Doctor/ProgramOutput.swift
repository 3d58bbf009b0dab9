internal import Glibc

/// What another program prints.
enum ProgramOutput {
    /// Runs a line of the shell, and returns its exit status and what it printed; nil where it could not be run. `popen(3)`
    ///
    /// The line is this program's own, never somebody's words.
    static func of(_ line: StaticString) -> (status: Int32, text: String)? {
        guard let stream = unsafe popen("\(line)", "r") else { return nil }
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
}
