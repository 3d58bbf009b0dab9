import Foundation
import Testing

@testable import Platform

@Suite("A lock of the host") struct HostLockTests {
    private let name = "sensorbroker-test/\(UUID().uuidString)"

    @Test("is had by one at a time, who is named, and is free when he has let go")
    func exclusive() throws {
        let first = try HostLock(name)
        var failure: LockFailure?
        do throws(LockFailure) { _ = try HostLock(name) } catch { failure = error }
        let text = "pid \(ProcessInfo.processInfo.processIdentifier) holds @\(name) as user \(geteuid())"
        #expect(failure?.description == text)
        #expect(HostLock.holder(of: name)?.userID == geteuid())
        _ = consume first
        #expect(HostLock.holder(of: name) == nil)
        // At once, however often.
        for _ in 0..<50 { _ = try HostLock(name) }
    }

    @Test("tells its holder to who asks, however many have asked before")
    func flood() throws {
        let lock = try HostLock(name)
        for _ in 0..<300 { _ = HostLock.holder(of: name) }
        #expect(HostLock.holder(of: name)?.processID == ProcessInfo.processInfo.processIdentifier)
        _ = consume lock
    }
}
