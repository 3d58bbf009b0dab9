internal import CLinux
internal import Glibc

/// A source of memory pressure: a PSI file of the kernel, or a pipe or socket of the service manager.
public struct MemoryPressure: ~Copyable, Sendable {
    /// What to wait for on the descriptor.
    public let interest: EventLoop.Interest
    /// The path of the pressure file, for messages.
    public let path: String

    private let file: Descriptor

    /// Opens the first source that works; throws the error of the last one. `open(2)`
    public static func first(of candidates: [MemoryPressureSource]) throws(SystemError) -> Self {
        var failure = SystemError("memory pressure", code: ENOENT)
        for candidate in candidates {
            do throws(SystemError) { return try Self(candidate) } catch { failure = error }
        }
        throw failure
    }

    /// The sources for this process, from its environment and control group.
    public static func candidates() -> [MemoryPressureSource] {
        let groups = (try? WholeFile.read("/proc/self/cgroup", maximumBytes: 16 * 1_024)).flatMap { $0 }
        return MemoryPressureSource.candidates(
            EnvironmentVariable.value, controlGroups: groups.map { String(decoding: $0, as: UTF8.self) })
    }

    private init(_ source: MemoryPressureSource) throws(SystemError) {
        var status = stat()
        guard unsafe stat(source.path, &status) == 0 else { throw .current("stat \(source.path)") }
        let number: Int32
        let interest: EventLoop.Interest
        switch status.st_mode & S_IFMT {
        case S_IFSOCK:
            number = clinux_stream_socket()
            interest = .read
        case S_IFIFO:
            // Open for writing too, otherwise the end of the last writer would keep it readable for ever.
            number = unsafe open(source.path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
            interest = .read
        case S_IFREG:
            let access = source.trigger.isEmpty ? O_RDONLY : O_RDWR
            number = unsafe open(source.path, access | O_CLOEXEC | O_NONBLOCK)
            interest = .exception
        default: throw SystemError("watch \(source.path)", code: EINVAL)
        }
        guard number >= 0 else { throw .current("open \(source.path)") }
        let file = Descriptor(owning: number)
        if status.st_mode & S_IFMT == S_IFSOCK, unsafe clinux_connect_unix(number, source.path) != 0 {
            throw .current("connect \(source.path)")
        }
        // Text written into a pipe would come back as the first notice.
        if status.st_mode & S_IFMT != S_IFIFO { try Self.write(source.trigger, number, source.path) }
        self.file = file
        self.interest = interest
        path = source.path
    }

    /// The kernel takes a trigger as a whole or not at all. `write(2)`
    private static func write(_ bytes: [UInt8], _ number: Int32, _ path: String) throws(SystemError) {
        guard !bytes.isEmpty else { return }
        guard unsafe Glibc.write(number, bytes, bytes.count) == bytes.count else { throw .current("write \(path)") }
    }

    /// For the event loop; valid only while this value lives.
    public var descriptor: Int32 { file.number }

    /// Reads a notice; false if there will be no more and the descriptor should be removed from the loop. `read(2)`
    @discardableResult
    public func clear() -> Bool {
        // A PSI file is not read: its readiness is the notice. A failed one stays ready for ever.
        guard interest == .read else { return !Wait.hasFailed(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<16 {
            let count = unsafe read(descriptor, &bytes, bytes.count)
            if count == 0 { return false }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
        }
        return true
    }
}

/// A place where this process can learn of memory pressure.
///
/// The service manager names it by systemd's protocol: `MEMORY_PRESSURE_WATCH` is a path, `MEMORY_PRESSURE_WRITE` is
/// what to write there first, in base64. Without these, the kernel's pressure file of the process's own control group
/// is watched, which is the right one in a container, and else that of the host. <https://systemd.io/MEMORY_PRESSURE>
public struct MemoryPressureSource: Equatable, Sendable {
    /// The file, pipe or socket.
    public let path: String
    /// What is written to it first.
    public let trigger: [UInt8]

    /// What systemd asks of the kernel: a task waited for memory for 200 ms of 2 s, the shortest window allowed to
    /// unprivileged processes.
    static let usualTrigger = Array("some 200000 2000000\0".utf8)

    /// Whether the environment forbids it.
    public static func isForbidden(_ environment: (String) -> String?) -> Bool {
        environment("MEMORY_PRESSURE_WATCH") == "/dev/null"
    }

    /// The sources to try in order, from the environment and the text of `/proc/self/cgroup`; none if that is
    /// forbidden.
    public static func candidates(_ environment: (String) -> String?, controlGroups: String?) -> [Self] {
        guard !isForbidden(environment) else { return [] }
        if let path = environment("MEMORY_PRESSURE_WATCH"), path.hasPrefix("/") {
            return [Self(path: path, trigger: environment("MEMORY_PRESSURE_WRITE").flatMap { bytes(base64: $0) } ?? [])]
        }
        let paths = [controlGroups.flatMap(ownPressureFile), "/proc/pressure/memory"].compactMap { $0 }
        return paths.map { Self(path: $0, trigger: usualTrigger) }
    }

    /// The group of the unified hierarchy, whose line begins with `0::`; its root has no pressure file of its own.
    private static func ownPressureFile(_ controlGroups: String) -> String? {
        let line = controlGroups.split(separator: "\n").first { $0.hasPrefix("0::/") }
        guard let group = line?.dropFirst(3), group.count > 1 else { return nil }
        return "/sys/fs/cgroup\(group)/memory.pressure"
    }

    /// The bytes of a base64 text, if it is one.
    static func bytes(base64 text: String) -> [UInt8]? {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let content = text.utf8.filter { $0 != UInt8(ascii: "=") }
        guard text.utf8.count.isMultiple(of: 4), text.utf8.count - content.count <= 2, text.utf8.starts(with: content),
            content.count % 4 != 1
        else { return nil }
        var (bits, count): (UInt32, Int) = (0, 0)
        var bytes: [UInt8] = []
        for character in content {
            guard let value = digits.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
