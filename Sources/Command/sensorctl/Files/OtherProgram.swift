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
        var pipes: [Int32] = [-1, -1]
        guard unsafe pipe2(&pipes, O_CLOEXEC) == 0 else {
            throw Failure(.unavailable, "cannot run \(words[0]): \(SystemError.current("make a pipe"))")
        }
        let errorsOutput = Descriptor(owning: pipes[0])
        let errorsInput = Descriptor(owning: pipes[1])
        let started = try start(words, [input.number, output.number, errorsInput.number])
        _ = consume errorsInput
        guard let process = started else { return nil }
        clinux_limit(process, limits.memoryBytes, limits.outputBytes, mostSeconds)
        let errors: String
        do throws(Failure) { errors = try errorsUntilEnd(errorsOutput, of: words[0]) } catch {
            kill(process, SIGKILL)
            _ = end(of: process)
            throw error
        }
        return (end(of: process), errors)
    }

    /// Starts it with three descriptors; nil if there is no such program. `posix_spawnp(3)`
    private static func start(_ words: [String], _ descriptors: [Int32]) throws(Failure) -> pid_t? {
        var files = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&files)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&files)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        // Signals that are held back here end it at once.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        for (index, number) in descriptors.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&files, number, Int32(index))
        }
        unsafe clinux_spawn_closed(&files, Int32(descriptors.count))
        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawnp(&process, words[0], &files, &attributes, arguments, environ)
        if code == ENOENT { return nil }
        guard code == 0 else {
            throw Failure(.unavailable, "cannot run \(words[0]): \(SystemError("start it", code: code))")
        }
        return process
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
            var piece = [UInt8](repeating: 0, count: mostMessageBytes)
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(output.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            if bytes.count < mostMessageBytes { bytes += piece[..<count] }
        }
    }

    /// The exit status, or 128 plus the number of the signal that ended it. `waitpid(2)`
    private static func end(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }
}
