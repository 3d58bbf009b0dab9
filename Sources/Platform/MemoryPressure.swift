internal import CLinux
internal import Glibc

/// Hears when memory is short: a PSI file of the kernel's, or a pipe or socket of the service manager's.
public struct MemoryPressure: ~Copyable, Sendable {
    /// What to wait for on the descriptor.
    public let interest: EventLoop.Interest
    /// Where it is heard, for people.
    public let path: String

    private let file: Descriptor

    /// Listens at the first of the places where that is possible; throws what the last one said. `open(2)`
    public static func first(of candidates: [MemoryPressureSource]) throws(SystemError) -> Self {
        var failure = SystemError("memory pressure", code: ENOENT)
        for candidate in candidates {
            do throws(SystemError) { return try Self(candidate) } catch { failure = error }
        }
        throw failure
    }

    /// The places for this process, as its environment and its control group have them.
    public static func candidates() -> [MemoryPressureSource] {
        let groups = (try? WholeFile.read("/proc/self/cgroup", maximumBytes: 16 * 1_024)).flatMap { $0 }
        return MemoryPressureSource.candidates(
            { name in unsafe getenv(name).map { unsafe String(cString: $0) } },
            controlGroups: groups.map { String(decoding: $0, as: UTF8.self) })
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
            // Open for writing too, or the end of the last writer would be heard for ever.
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
        // Written into a pipe, it would come back as the first news.
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

    /// Takes what was heard; false where there will be nothing more, and the descriptor is to be waited for no longer.
    /// `read(2)`
    @discardableResult
    public func clear() -> Bool {
        // A PSI file is not read: that it was ready is all it says. One that has failed is ready for ever.
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
