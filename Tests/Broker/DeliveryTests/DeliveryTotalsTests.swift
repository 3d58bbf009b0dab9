import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("What the clients of a resource have received and lost together") struct DeliveryTotalsTests {
    private func grant(_ interval: Int64) -> Grant {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        return Grant(request, held: interval, batchNanoseconds: 0, batchReadings: nil)
    }

    private func resource() -> Resource {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        resource.deviceOpened()
        _ = resource.accept(.active)
        return resource
    }

    /// Sends the readings that are new to a member, if its socket has room.
    private static func send(_ readings: SampleList, to member: inout Member, hasRoom: (GapTally) -> Bool) {
        guard let first = member.firstWanted(of: readings), let range = ReadingRange(readings[first...]) else { return }
        if hasRoom(member.pendingGaps) { member.didDeliver(range) } else { member.didLose(readings[first...]) }
    }

    @Test("never decreases, whatever clients do, and is what their accounts show in the end")
    func random() throws {
        var generator = SeededGenerator(seed: 7)
        var resource = resource()
        var (last, clients) = (DeliveryTotals(), [Int]())
        var (delivered, lost) = (0, 0)
        for turn in 0..<4_000 {
            let now = at(Int64(turn) * 10)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0 where clients.count < 8:
                let client = turn + 1
                clients.append(client)
                _ = resource.join(Client(client), grant(Int64.random(in: 1...3, using: &generator) * 10), now: now)
            case 1 where !clients.isEmpty:
                let client = clients.remove(at: Int.random(in: 0..<clients.count, using: &generator))
                let account = resource.leave(Client(client))
                let member = try #require(account)
                (delivered, lost) = (delivered + member.delivered, lost + member.losses.total)
            case 2 where !clients.isEmpty:
                // It changes its request, with what it has received so far.
                let client = Client(clients[Int.random(in: 0..<clients.count, using: &generator)])
                let account = resource.leave(client)
                let former = try #require(account)
                _ = resource.join(
                    client, grant(Int64.random(in: 1...3, using: &generator) * 10), now: now, inheriting: former)
            case 3:
                for lane in resource.lanes.indices {
                    for index in resource.lanes[lane].members.indices {
                        let newest = resource.lanes[lane].newest
                        _ = resource.lanes[lane].members[index].catchUp(with: newest)
                    }
                }
            default:
                resource.accept(Samples.acceleration(UInt64(turn), at: now.nanoseconds), now: now)
                // A socket that was full stays full until it drains.
                resource.sendOutgoing { lane in
                    for index in lane.members.indices {
                        Self.send(lane.readings, to: &lane.members[index]) { pending in
                            pending.isEmpty && Bool.random(using: &generator)
                        }
                    }
                }
            }
            let totals = resource.lanes.totals
            #expect(totals.delivered >= last.delivered, "turn \(turn)")
            #expect(Gap.Cause.allCases.allSatisfy { totals.losses[$0] >= last.losses[$0] }, "turn \(turn)")
            last = totals
        }
        for client in clients {
            let account = resource.leave(Client(client))
            let member = try #require(account)
            (delivered, lost) = (delivered + member.delivered, lost + member.losses.total)
        }
        #expect(resource.lanes.totals.delivered == delivered && delivered > 500)
        #expect(resource.lanes.totals.losses.total == lost && lost > 500)
    }

    @Test("does not count what another process has counted, nor what a derived resource reads")
    func others() throws {
        var former = resource()
        _ = former.join(1, grant(10), now: at(0))
        former.accept(Samples.acceleration(0, at: 0), now: at(0))
        former.sendOutgoing { lane in Self.send(lane.readings, to: &lane.members[0]) { _ in true } }
        let known = former.account(of: 1)
        let account = try #require(known)
        #expect(former.lanes.totals.delivered == 1)

        var resource = resource()
        resource.resume(7, grant(10), account)
        #expect(resource.lanes.totals == DeliveryTotals())
        _ = resource.join(.derivation(0), grant(20), now: at(0))
        resource.accept(Samples.acceleration(1, at: 40), now: at(40))
        resource.sendOutgoing { lane in
            for index in lane.members.indices { Self.send(lane.readings, to: &lane.members[index]) { _ in true } }
        }
        #expect(resource.lanes.totals.delivered == 1)
    }
}
