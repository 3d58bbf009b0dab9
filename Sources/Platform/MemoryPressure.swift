internal import CLinux
internal import Glibc

/// A descriptor that tells when the host is short of memory. `systemd.resource-control(5)`
///
/// Where the service manager named one (`MEMORY_PRESSURE_WATCH`), that: a pipe or socket to read from, or an account of
/// the kernel's with the threshold that the manager wants. Else the kernel's account of the whole host, where tasks that
/// waited 200 ms of 2 s for memory are worth a notice.
public struct MemoryPressure: ~Copyable, Sendable {
    private static let hostAccount = "/proc/pressure/memory"
    /// Two seconds are the shortest window that is open to everybody.
    private static let hostThreshold = Array("some 200000 2000000".utf8CString.map { UInt8(bitPattern: $0) })

    private let file: Descriptor
    /// What the event loop is to wait for.
    public let interest: EventLoop.Interest

    /// What the environment names; nil where nothing tells, or the service manager wants none of it.
    public init?() {
        self.init(
            watch: Self.variable("MEMORY_PRESSURE_WATCH"), base64Threshold: Self.variable("MEMORY_PRESSURE_WRITE"))
    }

    /// What a service manager named, with the threshold that it wants to have written there.
    init?(watch: String?, base64Threshold: String?) {
        let path = watch ?? Self.hostAccount
        guard path != "/dev/null" else { return nil }
        let file = Descriptor(owning: unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC))
        var status = stat()
        guard file.number >= 0, unsafe fstat(file.number, &status) == 0 else { return nil }
        let isAccount = status.st_mode & S_IFMT == S_IFREG
        if isAccount {
            let wanted = base64Threshold.flatMap { Self.decodedBase64($0) }
            let threshold = wanted ?? Self.hostThreshold
            guard unsafe write(file.number, threshold, threshold.count) == threshold.count else { return nil }
        }
        interest = isAccount ? .exception : .read
        self.file = file
    }

    /// For the event loop; valid only while this value lives.
    public var descriptor: Int32 { file.number }

    /// Takes the notice: a pipe's bytes; the kernel's account knows by itself that it was heard. `read(2)`
    public func clear() {
        guard interest == .read else { return }
        var bytes = [UInt8](repeating: 0, count: 256)
        while unsafe read(file.number, &bytes, bytes.count) == bytes.count {}
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The bytes of a base64 text, nil where it is none.
    static func decodedBase64(_ text: String) -> [UInt8]? {
        var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in text.utf8 where byte != UInt8(ascii: "=") {
            guard let digit = digit(byte) else { return nil }
            bits = bits << 6 | UInt32(digit)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
