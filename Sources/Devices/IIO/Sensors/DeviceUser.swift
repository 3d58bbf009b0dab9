internal import Devices
internal import Glibc
internal import Platform

/// A program that uses IIO, found in /proc; only root can see the files of other users' programs.
struct DeviceUser: Equatable {
    let processID: Int32
    let name: String

    /// `iiod (process 123)`; for people.
    var words: String { "\(name) (process \(processID))" }

    /// The program that has a device's node open; nil if that cannot be seen.
    static func holder(of deviceID: String) -> DeviceUser? {
        others().first { holds("/dev/\(deviceID)", $0) }.map(named)
    }

    /// Programs that may have switched off a buffer: the one that has the node open, else those that have loaded
    /// libiio, which switches the buffer off before it notices that the device is in use.
    static func suspects(of deviceID: String) -> [DeviceUser] {
        if let holder = holder(of: deviceID) { return [holder] }
        return others().filter(hasLibiio).prefix(3).map(named)
    }

    private static func others() -> [Int32] {
        Directory.names(in: "/proc").compactMap { Int32($0) }.filter { $0 != ProcessIdentity.processID }
    }

    private static func named(_ process: Int32) -> DeviceUser {
        // A program can choose its own name.
        let name = SmallFile.line(at: "/proc/\(process)/comm") ?? "a program"
        return DeviceUser(processID: process, name: printable(name))
    }

    private static func holds(_ path: String, _ process: Int32) -> Bool {
        let directory = "/proc/\(process)/fd"
        return Directory.names(in: directory).contains { SmallFile.target(ofLink: "\(directory)/\($0)") == path }
    }

    private static func hasLibiio(_ process: Int32) -> Bool {
        let maps = SmallFile.text(at: "/proc/\(process)/maps", maximumBytes: 1 << 20) ?? ""
        return maps.split(separator: "/").contains { $0.hasPrefix("libiio.so") }
    }
}

/// The character device of an IIO device, which only one program may have open.
///
/// libiio switches a running buffer off before it notices that the device is in use, and so kills another program's
/// stream. Opening the node first asks the kernel without changing anything.
enum DeviceNode {
    /// Whether the kernel has an IIO bus. `access(2)`
    static var hasBus: Bool { unsafe access("/sys/bus/iio", F_OK) == 0 }

    /// Throws EBUSY if another program has the device; returns false if there is no node, as for devices without a
    /// buffer. `open(2)`
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
