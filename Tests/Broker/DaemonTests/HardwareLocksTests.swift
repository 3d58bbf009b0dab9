import Foundation
@testable import Platform
import Programs
import Testing

@testable import sensorbrokerd

@Suite("The locks of hardware") struct HardwareLocksTests {
    /// A gpsd that no other test uses.
    private func hardware() throws -> Hardware {
        let port = UInt16.random(in: 1...UInt16.max)
        return .gpsd(
            try #require(
                try TCPEndpoint.resolve(
                    "192.0.2.\(UInt8.random(in: 1...254))", port: port, withinNanoseconds: 1_000_000_000
                ).first))
    }

    @Test("are shared within the process, and released with the last holder")
    func shared() throws {
        let (one, other) = (HardwareLocks(), HardwareLocks())
        let name = try hardware()
        var first = try one.take([name])
        var second = try one.take([name, name])
        #expect(first.count == 1 && second.count == 1 && first[0] === second[0])
        #expect(throws: Failure.self) { try other.take([name]) }
        first = []
        #expect(throws: Failure.self) { try other.take([name]) }
        second = []
        #expect(try other.take([name]).count == 1)
        #expect(try one.take([]).isEmpty)
    }

    @Test("are one for all addresses of a service, as localhost has two")
    func addresses() throws {
        let port = UInt16.random(in: 1024...UInt16.max)
        let both = try ["::1", "127.0.0.1"].flatMap {
            try TCPEndpoint.resolve($0, port: port, withinNanoseconds: 1_000_000_000)
        }
        #expect(both.count == 2)
        for kind in [Hardware.gpsd, Hardware.iiod] {
            let locks = HardwareLocks()
            let held = try locks.take(both.map(kind))
            #expect(held.count == 1)
            // A driver that found only one of them.
            #expect(try locks.take([kind(both[1])])[0] === held[0])
            #expect(throws: Failure.self) { try HardwareLocks().take([kind(both[1])]) }
            withExtendedLifetime(held) {}
        }
    }

    @Test("are taken all together or not at all")
    func allOrNone() throws {
        let (one, other) = (HardwareLocks(), HardwareLocks())
        let (free, taken) = (try hardware(), try hardware())
        let holding = try one.take([taken])
        #expect(throws: Failure.self) { try other.take([free, taken]) }
        #expect(try one.take([free]).count == 1)
        withExtendedLifetime(holding) {}
    }

    @Test("are released by the thread that drives the hardware, and not before it has moved")
    func claim() throws {
        let (one, other) = (HardwareLocks(), HardwareLocks())
        let (here, there) = (try hardware(), try hardware())
        let claim = Claim<Int>(.init(source: 1, locks: try one.take([here])))
        let share = claim.share()
        #expect(share.renew() == 1)
        claim.move(to: .init(source: 2, locks: try one.take([there])))
        #expect(throws: Failure.self) { try other.take([here]) }
        // Moved there and back before the thread has noticed.
        claim.move(to: .init(source: 1, locks: try one.take([here])))
        claim.move(to: .init(source: 2, locks: try one.take([there])))
        #expect(share.renew() == 2)
        #expect(try other.take([here]).count == 1)
        #expect(throws: Failure.self) { try other.take([there]) }
    }

    @Test("follow a source whose address changes")
    func follows() throws {
        let (one, other) = (HardwareLocks(), HardwareLocks())
        let (former, later) = (try hardware(), try hardware())
        let claim = Claim<Int>(.init(source: 1, locks: try one.take([former])))
        let share = claim.share()
        _ = share.renew()
        try one.admit([later], to: share)
        #expect(try other.take([former]).count == 1)
        #expect(throws: Failure.self) { try other.take([later]) }
        withExtendedLifetime(claim) {}
    }

    @Test("of different hardware are taken concurrently, while a third thread waits for the first")
    func apart() throws {
        let (slow, quick) = (try hardware(), try hardware())
        let (isAsked, mayAnswer, isTaken) = (try SharedWakeEvent(), try SharedWakeEvent(), try SharedWakeEvent())
        let locks = HardwareLocks { (hardware) throws(LockFailure) in
            if hardware == slow {
                isAsked.signal()
                mayAnswer.wait()
            }
            return try HostLock(hardware.lockName)
        }
        let taken = Taken()
        for _ in 0..<2 {
            try Thread.start(name: "taker") {
                // None means that it was refused.
                let mine = (try? locks.take([slow])) ?? []
                if taken.add(mine) == 2 || mine.isEmpty { isTaken.signal() }
            }
        }
        isAsked.wait()
        #expect(try locks.take([quick]).count == 1)
        mayAnswer.signal()
        isTaken.wait()
        let both = taken.all
        #expect(both.count == 2 && both.first === both.last)
    }

    private final class Taken: Sendable {
        private let locks = Locked<[HardwareLock]>([])

        var all: [HardwareLock] { locks.withLock { $0 } }

        func add(_ more: [HardwareLock]) -> Int {
            locks.withLock { locks in
                locks += more
                return locks.count
            }
        }
    }

    @Test("of sensors are ignored if the holder has no right to them, and respected if the holder is unknown")
    func rights() throws {
        let sensors = Hardware.sensors(UUID().uuidString)
        func locks(_ holder: LockHolder) -> HardwareLocks {
            let attempt: @Sendable (Hardware) throws(LockFailure) -> HostLock = { (hardware) throws(LockFailure) in
                throw .taken(name: hardware.lockName, by: holder)
            }
            // Without listeners: a broker of this host that uses an iiod here would be in the way.
            return HardwareLocks(attempt: attempt, listeners: { [] })
        }
        let stranger: UInt32 = 65_533
        #expect(try locks(.user(stranger)).take([sensors]).map(\.isHeld) == [false])
        let peer = Peer(processID: 1, userID: stranger, groupID: stranger)
        #expect(try locks(.peer(peer)).take([sensors]).map(\.isHeld) == [false])
        for holder in [LockHolder.user(0), .user(geteuid()), .unknown] {
            var failure: Failure?
            do throws(Failure) { _ = try locks(holder).take([sensors]) } catch { failure = error }
            #expect(failure?.status == .unavailable, "\(holder)")
        }
        // Any user of the network may use an iiod, and owns what it locked first.
        #expect(throws: Failure.self) { try locks(.user(stranger)).take([try hardware()]) }
    }

    @Test("identify an iiod of this host by its user")
    func listeners() {
        let text = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:76DF 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 51
               1: 0100007F:1F90 0100007F:E2B4 01 00000000:00000000 00:00000000 00000000     0        0 52
               2: 00000000000000000000000000000000:0B83 00000000000000000000000000000000:0000 0A 0:0 00:0 0     7   0 53
            """
        #expect(
            TCPListener.parse(text) == [TCPListener(port: 30431, userID: 1000), TCPListener(port: 2947, userID: 7)])
        #expect(TCPListener.parse("garbage\n0: 1:2 3 0A 5 6 7\n").isEmpty)
    }
}

extension SharedWakeEvent {
    fileprivate func wait() { _ = Wait.untilReadable(descriptor, nanoseconds: nil) }
}
