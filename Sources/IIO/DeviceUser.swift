internal import Devices
internal import Glibc
internal import Platform

/// A program that has to do with IIO, found in /proc: of other users' programs only root can see as much.
struct DeviceUser: Equatable {
    let processID: Int32
    let name: String

    /// `iiod (process 123)`; for people.
    var words: String { "\(name) (process \(processID))" }

    /// Who has the node of a device open; nil where that cannot be seen.
    static func holder(of deviceID: String) -> DeviceUser? {
        others().first { holds("/dev/\(deviceID)", $0) }.map(named)
    }

    /// Who may have switched off a buffer: who has the node open, else those that have libiio loaded, which does that
    /// before it finds out that the device is in use.
    static func suspects(of deviceID: String) -> [DeviceUser] {
        if let holder = holder(of: deviceID) { return [holder] }
        return others().filter(hasLibiio).prefix(3).map(named)
    }

    private static func others() -> [Int32] {
        Directory.names(in: "/proc").compactMap { Int32($0) }.filter { $0 != ProcessIdentity.processID }
    }

    private static func named(_ process: Int32) -> DeviceUser {
        // The kernel lets a program choose its name.
        let name = SmallFile.line(at: "/proc/\(process)/comm") ?? "a program"
        return DeviceUser(processID: process, name: printable(name))
    }

    private static func holds(_ path: String, _ process: Int32) -> Bool {
        let directory = "/proc/\(process)/fd"
        return Directory.names(in: directory).contains { target(of: "\(directory)/\($0)") == path }
    }

    private static func hasLibiio(_ process: Int32) -> Bool {
        SmallFile.text(at: "/proc/\(process)/maps", maximumBytes: 1 << 20)?.contains("/libiio.so") ?? false
    }

    /// What a link points to. `readlink(2)`
    private static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        let count = unsafe readlink(link, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}

/// The character device of an IIO device, which only one program may have open.
///
/// libiio switches a running buffer off before it finds out that the device is in use, and so kills the stream of whoever
/// had it. Opening the node first asks the kernel without touching anything.
enum DeviceNode {
    /// Whether the kernel has an IIO bus. `access(2)`
    static var hasBus: Bool { unsafe access("/sys/bus/iio", F_OK) == 0 }

    /// Throws EBUSY where another program has the device; returns false where there is no node, as for devices that
    /// have no buffer. `open(2)`
    static func isFree(deviceID: String) throws(SystemError) -> Bool {
        let path = "/dev/\(deviceID)"
        let number = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else {
            let error = SystemError.current("open \(path)")
            if error.code == ENOENT { return false }
            throw error
        }
        _ = Descriptor(owning: number)
        return true
    }
}
