internal import CLinux
internal import Formats
internal import Glibc
internal import Platform
internal import Printable

/// Makes GPX of other programs' files with `gpsbabel`, which reads 150 formats of receivers, watches and maps.
///
/// It is found at run time, and gets nothing but the file as its standard input, which no name can make an option of: no shell, no other
/// descriptors, and limits of memory, time and output, since the file may be anybody's. What it writes is a stranger's GPX.
enum Gpsbabel {
    private static let mostBytes = 1 << 30
    private static let mostMemory = 2 << 30
    private static let mostSeconds = 600
    private static let mostWords = 4_096

    /// The GPX of a file in a format of gpsbabel.
    static func gpx(of input: borrowing InputFile, as format: String) throws(Failure) -> InputFile {
        if format == "igc" {
            // A flight recorder's log becomes two tracks: in one of them the altitudes are those of a barometer.
            let made = try gpx(of: input, as: format, ["-x", "track,name=GNSSALTTRK"])
            if try made.begins(with: "<trkpt") { return made }
        }
        return try gpx(of: input, as: format, [])
    }

    private static func gpx(
        of input: borrowing InputFile, as format: String, _ filter: [String]
    ) throws(Failure) -> InputFile {
        let source = try input.copy()
        let result = try TemporaryFile(toBuffer: input.name).release()
        var pipes: [Int32] = [-1, -1]
        guard unsafe pipe2(&pipes, O_CLOEXEC) == 0 else {
            throw Failure(.unavailable, "cannot run gpsbabel: \(SystemError.current("make a pipe"))")
        }
        let said = Descriptor(owning: pipes[0])
        let saying = Descriptor(owning: pipes[1])
        let words =
            [
                "gpsbabel", "-i", format, "-f", "/proc/self/fd/0",
            ] + filter + ["-o", "gpx,gpxver=1.0", "-F", "-"]
        let process = try start(words, [source.number, result.number, saying.number])
        _ = consume saying
        let errors: String
        do throws(Failure) { errors = try wait(for: process, said.number) } catch {
            kill(process, SIGKILL)
            _ = end(of: process)
            throw error
        }
        let status = end(of: process)
        let reason = errors.split(separator: "\n").first.map { ": \(String($0).printable)" } ?? ""
        guard status == 0 else {
            throw Failure(.data, "\(input.name): gpsbabel cannot read it as \(format)\(reason)")
        }
        return try InputFile(result, named: "\(input.name), by gpsbabel")
    }

    /// Starts it with three descriptors. `posix_spawnp(3)`, `prlimit(2)`
    private static func start(_ words: [String], _ descriptors: [Int32]) throws(Failure) -> pid_t {
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
        for (place, number) in descriptors.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&files, number, Int32(place))
        }
        unsafe clinux_spawn_closed(&files, Int32(descriptors.count))
        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawnp(&process, words[0], &files, &attributes, arguments, environ)
        guard code == 0 else {
            guard code != ENOENT else {
                throw Failure(
                    .unavailable,
                    "this format is read by gpsbabel, which is not installed: apt install gpsbabel, or convert the file to GPX elsewhere"
                )
            }
            throw Failure(.unavailable, "cannot run gpsbabel: \(SystemError("start it", code: code))")
        }
        clinux_limit(process, Int64(mostMemory), Int64(mostBytes), Int64(mostSeconds))
        return process
    }

    /// Reads what it says until it ends.
    private static func wait(for process: pid_t, _ said: Int32) throws(Failure) -> String {
        var bytes: [UInt8] = []
        let end = BootClock.after(Int64(mostSeconds) * 1_000_000_000)
        while true {
            try HeldSignals.check()
            guard Clock.bootNanoseconds() < end else {
                throw Failure(
                    .data, "gpsbabel has not read the file in \(mostSeconds / 60) minutes: convert it yourself")
            }
            var item = pollfd(fd: said, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&item, 1, 200) > 0 else { continue }
            var piece = [UInt8](repeating: 0, count: mostWords)
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(said, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            if bytes.count < mostWords { bytes += piece[..<count] }
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
