internal import Glibc
internal import Platform

/// A file that is made at once, whole or not at all.
enum OutputFile {
    /// Writes a file; one that is there already is replaced where that is wanted. `open(2)`, `write(2)`
    static func write(_ text: String, to path: String, replaces: Bool) throws(Failure) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (replaces ? O_TRUNC : O_EXCL)
        let file = Descriptor(owning: unsafe open(path, flags, 0o666))
        guard file.number >= 0 else {
            let error = SystemError.current("open \(path)")
            let words =
                error.code == EEXIST ? "\(path) is there already: name another file" : "cannot make a file: \(error)"
            throw Failure(.cannotCreate, words)
        }
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes {
                unsafe Glibc.write(file.number, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                let error = SystemError.current("write \(path)")
                // Half a file would be taken for a whole one.
                if !replaces { unsafe unlink(path) }
                throw Failure(.inputOutput, "cannot write a file: \(error)")
            }
        }
    }
}
