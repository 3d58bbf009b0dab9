import Foundation
import Testing

@testable import sensorbrokerd

@Suite("The locks of hardware") struct HardwareLocksTests {
    @Test("are shared within the process, and free when nobody in it holds them")
    func shared() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "locks-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let places = try Places(try Arguments(["--runtime-directory", path]))
        let (one, other) = (HardwareLocks(places), HardwareLocks(places))
        let name = "test:\(UUID().uuidString)"
        var first = try one.take(name)
        var second = try one.take(name)
        #expect(first != nil && first === second)
        #expect(throws: StartFailure.self) { try other.take(name) }
        first = nil
        #expect(throws: StartFailure.self) { try other.take(name) }
        second = nil
        #expect(try other.take(name) != nil)
        #expect(try one.take(nil) == nil)
        try? FileManager.default.removeItem(atPath: places.hardwareLock(name))
    }

    @Test("go with the thread that drives the hardware, and not before it has moved")
    func claim() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "locks-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let places = try Places(try Arguments(["--runtime-directory", path]))
        let (one, other) = (HardwareLocks(places), HardwareLocks(places))
        let (here, there) = ("test:\(UUID().uuidString)", "test:\(UUID().uuidString)")
        let claim = Claim<Int>(.init(source: 1, lock: try one.take(here)))
        let share = claim.share()
        #expect(share.renew() == 1)
        claim.move(to: .init(source: 2, lock: try one.take(there)))
        #expect(throws: StartFailure.self) { try other.take(here) }
        // There and back before the thread has noticed.
        claim.move(to: .init(source: 1, lock: try one.take(here)))
        claim.move(to: .init(source: 2, lock: try one.take(there)))
        #expect(share.renew() == 2)
        #expect(try other.take(here) != nil)
        #expect(throws: StartFailure.self) { try other.take(there) }
        for name in [here, there] { try? FileManager.default.removeItem(atPath: places.hardwareLock(name)) }
    }
}
