internal import CLinux
internal import Glibc

/// Reports when a file in a directory, or the directory itself, is removed or moved. `inotify(7)`
public struct DirectoryWatch: ~Copyable {
    private let descriptor: Descriptor

    /// A watch that has no directory yet. `inotify_init1(2)`
    public init() throws(SystemError) {
        let descriptor = Descriptor(owning: clinux_inotify())
        guard descriptor.number >= 0 else { throw .current("inotify_init1") }
        self.descriptor = descriptor
    }

    /// The descriptor's number, for the event loop.
    public var number: Int32 { descriptor.number }

    /// Watches the directory that is at a path now.
    ///
    /// Watching the same directory again has no effect. `inotify_add_watch(2)`
    public func begin(_ path: String) throws(SystemError) {
        guard unsafe clinux_watch_removals(descriptor.number, path) >= 0 else { throw .current("watch \(path)") }
    }

    /// Discards the pending events: the caller has to look at the directory in any case. `read(2)`
    public func discardEvents() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while unsafe bytes.withUnsafeMutableBytes({ unsafe read(number, $0.baseAddress, $0.count) }) > 0 {}
    }
}

/// The contents of a directory.
public enum Directory {
    /// The names in a directory, without `.` and `..`, sorted; empty if it cannot be read. `readdir(3)`
    public static func names(in path: String) -> [String] {
        ((try? WholeFile.names(in: path)) ?? []).filter { $0 != "." && $0 != ".." }.sorted()
    }
}
