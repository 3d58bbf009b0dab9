internal import CLinux
internal import Glibc
internal import Platform

/// A process of another program, which has nothing of this one but some descriptors.
struct OtherProcess: ~Copyable {
    let number: pid_t
    /// Where what it writes to its pipe is read.
    let output: Descriptor

    /// Starts a program of the PATH, with descriptors that it has from 0 on; nil is its pipe. `posix_spawnp(3)`, `pipe2(2)`
    ///
    /// It may have a process group of its own.
    init(_ words: [String], _ descriptors: [Int32?], isGroup: Bool = false) throws(SystemError) {
        var pipes: [Int32] = [-1, -1]
        guard unsafe pipe2(&pipes, O_CLOEXEC) == 0 else { throw .current("make a pipe") }
        let near = Descriptor(owning: pipes[0])
        let far = Descriptor(owning: pipes[1])
        let process = try Self.start(words, descriptors.map { $0 ?? far.number }, isGroup)
        self.init(number: process, output: near)
    }

    private init(number: pid_t, output: consuming Descriptor) {
        self.number = number
        self.output = output
    }

    private static func start(
        _ words: [String], _ descriptors: [Int32], _ isGroup: Bool
    ) throws(SystemError) -> pid_t {
        var files = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&files)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&files)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for (index, number) in descriptors.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&files, number, Int32(index))
        }
        unsafe clinux_spawn_closed(&files, Int32(descriptors.count))
        // Signals that are held back here reach it, and it ends when nobody reads its output.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var usual = sigset_t()
        unsafe sigemptyset(&usual)
        unsafe sigaddset(&usual, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (isGroup ? POSIX_SPAWN_SETPGROUP : 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawnp(&process, words[0], &files, &attributes, arguments, environ)
        guard code == 0 else { throw SystemError("start it", code: code) }
        return process
    }

    /// What can be read next; empty at the end. `read(2)`
    static func next(_ number: Int32, _ most: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
            if count >= 0 { return Array(bytes[..<count]) }
            guard errno == EINTR else { throw .current("read") }
        }
    }

    /// The exit status, or 128 plus the number of the signal that ended it; nil while it runs. `waitpid(2)`
    func status(waits: Bool) -> Int32? {
        var word: Int32 = 0
        var ended: pid_t
        repeat { ended = unsafe waitpid(number, &word, waits ? 0 : WNOHANG) } while ended < 0 && errno == EINTR
        guard ended == number else { return nil }
        let signal = word & 0x7f
        return signal == 0 ? word >> 8 & 0xff : 128 + signal
    }
}
