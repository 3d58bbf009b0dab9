import Foundation
import Platform
import Testing

@Suite("The owner of a lock file") struct InstanceLockOwnerTests {
    @Test("is that of its directory where root takes the lock", .enabled(if: geteuid() == 0, "needs root"))
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
