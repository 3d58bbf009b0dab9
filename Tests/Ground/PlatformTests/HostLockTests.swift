import Foundation
import Testing

@testable import Platform

@Suite("A lock of the host") struct HostLockTests {
    private let name = "sensorbroker-test/\(UUID().uuidString)"
    private let process = ProcessInfo.processInfo.processIdentifier

    private func failure() -> LockFailure? {
        do throws(LockFailure) {
            _ = try HostLock(name)
            return nil
        } catch { return error }
    }

    private func isThisProcess(_ holder: LockHolder?) -> Bool {
        guard case .peer(let peer) = holder else { return false }
        return peer.processID == process && peer.userID == geteuid()
    }

    @Test("has one holder at a time, whose name is known, and is free after release")
    func exclusive() throws {
        let first = try HostLock(name)
        #expect(failure()?.description == "pid \(process) holds @\(name) as user \(geteuid())")
        #expect(isThisProcess(HostLock.holder(of: name)))
        _ = consume first
        #expect(HostLock.holder(of: name) == nil)
        // Every time, at once.
        for _ in 0..<50 { _ = try HostLock(name) }
    }

    @Test("reports its holder however many have asked before")
    func flood() throws {
        let lock = try HostLock(name)
        for _ in 0..<300 { _ = HostLock.holder(of: name) }
        #expect(isThisProcess(HostLock.holder(of: name)))
        _ = consume lock
    }

    @Test("is held by the user that the kernel names, if a connection to the holder is impossible")
    func silent() throws {
        let holder = try SilentHolder(name)
        #expect(HostLock.holder(of: name) == .user(geteuid()))
        #expect(failure() == .taken(name: "@\(name)", by: .user(geteuid())))
        #expect(failure()?.description.contains("user \(geteuid()) holds @\(name)") == true)
        // Only root can make it belong to another user.
        if geteuid() == 0 {
            try holder.give(to: 65_534)
            #expect(HostLock.holder(of: name) == .user(65_534))
        }
        holder.end()
        #expect(HostLock.holder(of: name) == nil)
        #expect(failure() == nil)
    }

    @Test("whose holder cannot be identified at all is held, and the message states how to find the holder")
    func unknown() {
        let words = LockFailure.taken(name: "@\(name)", by: .unknown).description
        #expect(words.contains("cannot be identified holds @\(name)") && words.contains("ss -xlp"))
    }
}
