import Admission
import Delivery
import Readings
import Testing

@testable import Service

@Suite("Clients that watch the list") struct ListWatchersTests {
    private final class World {
        var now = BootTime(nanoseconds: 10_000_000_000)
        var hasStreams = false
    }

    private let world = World()
    private let watchers: ListWatchers

    init() {
        watchers = ListWatchers(clock: { [world] in world.now }, hasStreams: { [world] in world.hasStreams })
    }

    private func token(_ slot: UInt32) -> ConnectionToken { ConnectionToken(slot: slot, generation: 1) }

    @Test("are each informed of a change once, over as many turns as necessary, at the expense of its cause")
    func round() throws {
        let caller = Caller(userID: 5, isTrusted: false, isAdministrating: false)
        for slot: UInt32 in 0..<10 { watchers.add(token(slot)) }
        #expect(watchers.deadline == nil)
        watchers.blame(caller)
        watchers.change()
        var informed: [ConnectionToken] = []
        var turns = 0
        while let due = watchers.deadline, due <= world.now {
            turns += 1
            let bill = watchers.inform(world.now) { token in
                informed.append(token)
                world.now = world.now + Limits.listTurnNanoseconds / 2
                return true
            }
            #expect(try #require(bill).payers == [caller])
        }
        #expect(turns == 5)
        #expect(Set(informed).count == 10 && informed.count == 10)
        #expect(watchers.deadline == nil)
    }

    @Test("cost nothing those who made devices start while there were none")
    func unseen() throws {
        watchers.blame(Caller(userID: 5, isTrusted: false, isAdministrating: false))
        watchers.add(token(0))
        watchers.change()
        #expect(try #require(watchers.inform(world.now) { _ in true }).payers == [])
    }

    @Test("get the first change at once, later ones gathered, and finally all have the newest")
    func rounds() throws {
        let caller = Caller(userID: 5, isTrusted: false, isAdministrating: false)
        for slot: UInt32 in 0..<3 { watchers.add(token(slot)) }
        let start = world.now
        var (received, version, rounds, first) = ([0, 0, 0], 0, 0, BootTime?.none)
        for millisecond: Int64 in 0..<1_000 {
            world.now = start + millisecond * 1_000_000
            if millisecond < 500 {
                version += 1
                watchers.change()
                watchers.blame(caller)
            }
            guard let due = watchers.deadline, due <= world.now else { continue }
            let bill = watchers.inform(world.now) { token in
                first = first ?? world.now
                if token.slot == 2 { rounds += 1 }
                received[Int(token.slot)] = version
                // One in each turn.
                world.now = world.now + Limits.listTurnNanoseconds
                return true
            }
            #expect(try #require(bill).payers == [caller])
        }
        #expect(received == [500, 500, 500])
        #expect(first == start && rounds == 6)
        #expect(watchers.deadline == nil)
    }

    @Test("with a full socket get the list later, and those that have left do not")
    func pending() {
        watchers.add(token(0))
        watchers.add(token(1))
        watchers.change()
        watchers.remove(token(1))
        _ = watchers.inform(world.now) { token in
            #expect(token == self.token(0))
            return false
        }
        #expect(watchers.isPending(token(0)) && !watchers.contains(token(1)))
        watchers.didSend(to: token(0), isTaken: true)
        #expect(!watchers.isPending(token(0)) && watchers.contains(token(0)))
        // If it has gone meanwhile, this does not bring it back.
        watchers.didSend(to: token(1), isTaken: false)
        #expect(!watchers.contains(token(1)))
    }

    @Test("wait for their share of the time beside streams, and nothing is due if nobody watches")
    func share() throws {
        watchers.change()
        #expect(watchers.deadline == nil)
        watchers.add(token(0))
        world.hasStreams = true
        var sent = 0
        for _ in 0..<10 {
            watchers.change()
            guard let due = watchers.deadline else { break }
            world.now = max(world.now, due)
            _ = watchers.inform(world.now) { _ in
                world.now = world.now + 2_000_000
                sent += 1
                return true
            }
        }
        #expect(sent == 10)
        watchers.change()
        // 2 ms are paid back in 67 ms at 3 %, and rounds are 100 ms apart in any case.
        #expect(try #require(watchers.deadline) - world.now > 90_000_000)
    }
}
