internal import CLinux
internal import Glibc
internal import Platform
internal import Programs

/// Runs a program of others with a stranger's data.
///
/// It is found at run time, and gets its words, two files and a pipe for its errors: no shell, no other descriptors, and limits, since the
/// data may be anybody's. A signal that ends this program ends it too.
enum OtherProgram {
    /// What the program may use.
    struct Limits {
        let memoryBytes: Int64
        let outputBytes: Int64
    }

    private static let mostSeconds: Int64 = 600
    private static let mostMessageBytes = 4_096

    /// Runs it with a file as its standard input and another one as its standard output; returns its exit status and its errors, or nil
    /// if it is not installed.
    static func run(
        _ words: [String], _ input: borrowing Descriptor, _ output: borrowing Descriptor, _ limits: Limits
    ) throws(Failure) -> (status: Int32, errors: String)? {
        let process: OtherProcess
        do throws(SystemError) { process = try OtherProcess(words, [input.number, output.number, nil]) } catch {
            if error.code == ENOENT { return nil }
            throw Failure(.unavailable, "cannot run \(words[0]): \(error)")
        }
        clinux_limit(process.number, limits.memoryBytes, limits.outputBytes, mostSeconds)
        let errors: String
        do throws(Failure) { errors = try errorsUntilEnd(process.output, of: words[0]) } catch {
            kill(process.number, SIGKILL)
            _ = process.status(waits: true)
            throw error
        }
        return (process.status(waits: true) ?? 0, errors)
    }

    /// What the program writes to standard error until it ends.
    private static func errorsUntilEnd(_ output: borrowing Descriptor, of name: String) throws(Failure) -> String {
        var bytes: [UInt8] = []
        let end = BootClock.after(mostSeconds * 1_000_000_000)
        while true {
            try HeldSignals.check()
            guard Clock.bootNanoseconds() < end else {
                throw Failure(.data, "\(name) has not ended in \(mostSeconds / 60) minutes: this is too much for it")
            }
            var item = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&item, 1, 200) > 0 else { continue }
            guard let piece = try? OtherProcess.next(output.number, mostMessageBytes), !piece.isEmpty else {
                return String(decoding: bytes, as: UTF8.self)
            }
            if bytes.count < mostMessageBytes { bytes += piece }
        }
    }
}
