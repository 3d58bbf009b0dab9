internal import Glibc

/// One appearance of a sensor, from plugging it in to pulling it out: the kernel gives its directory another inode each time.
struct SensorAppearance: Hashable, Sendable {
    private let directory: String
    private let inode: UInt64

    /// Of the device that has a directory of sysfs now; nil where there is none. `stat(2)`
    init?(directory: String) {
        guard let inode = Self.inode(of: directory) else { return nil }
        self.directory = directory
        self.inode = inode
    }

    /// Whether the directory is still that of this device. `stat(2)`
    var isPresent: Bool { Self.inode(of: directory) == inode }

    private static func inode(of directory: String) -> UInt64? {
        var status = stat()
        return unsafe stat(directory, &status) == 0 ? UInt64(status.st_ino) : nil
    }
}
