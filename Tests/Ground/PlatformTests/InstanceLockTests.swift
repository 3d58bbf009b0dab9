import Foundation
import Glibc
import Platform
import TestTools
import Testing

@Suite("An instance lock") struct InstanceLockTests {
    @Test("is held once, and free again when its holder has ended, although the file remains")
    func exclusive() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "lock")
        do {
            let lock = try InstanceLock(path: path)
            #expect(throws: LockFailure.held(path: path, processID: nil)) { _ = try InstanceLock(path: path) }
            withExtendedLifetime(lock) {}
        }
        #expect(directory.mode(of: "lock") == 0o600)
        _ = try InstanceLock(path: path)
    }

    @Test("is free when its holder lets go of it, although a child has the file open until it executes its program")
    func inherited() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "lock")
        let lock = try InstanceLock(path: path)
        let number = try #require(descriptors(of: path).first)
        let inherited = try Descriptor(duplicating: number)
        _ = consume lock
        _ = try InstanceLock(path: path)
        withExtendedLifetime(inherited) {}
    }

    /// The open descriptors of a file.
    private func descriptors(of path: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
    }

    @Test("follows no link and accepts only a regular file")
    func links() throws {
        let directory = try TemporaryDirectory()
        directory.write("precious", to: "victim")
        unsafe symlink(directory.path(of: "victim"), directory.path(of: "link"))
        unsafe mkfifo(directory.path(of: "pipe"), 0o600)
        for name in ["link", "pipe", "missing/lock"] {
            #expect(throws: LockFailure.self) { _ = try InstanceLock(path: directory.path(of: name)) }
        }
        var status = stat()
        #expect(unsafe stat(directory.path(of: "victim"), &status) == 0 && status.st_size == 8)
    }
}

@Suite("The owner of a lock file") struct InstanceLockOwnerTests {
    @Test("belongs to the directory's owner if root takes the lock", .enabled(if: geteuid() == 0, "needs root"))
    func owner() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let given = unsafe chown(directory.path, 65_534, 65_534)
        try #require(given == 0)
        let path = directory.appending(path: "iio.lock").path
        let lock = try InstanceLock(path: path)
        let owner = try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? Int
        #expect(owner == 65_534)
        _ = consume lock
    }
}
