import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("A new client of a resource") struct ResourceNewcomerTests {
    @Test("does not get its first reading again in the batch that follows")
    func firstReadingAndBatch() {
        var resource = Resource.open(.acceleration)
        _ = join(&resource, 1, interval: 100, batch: 500)
        for index: UInt64 in 0...15 { accept(&resource, index, at: Int64(index) * 10) }
        #expect(join(&resource, 2, interval: 100, batch: 500, now: 155)?.sequence == 15)
        resource.lanes[0].members[1].didDeliver(alone: Samples.acceleration(15, at: 150))
        resource.expire(now: at(60_000_000))
        let lane = resource.lanes[0]
        #expect(lane.hasOutgoing)
        #expect(lane.readings.map(\.sequence) == [0, 10, 15])
        #expect(lane.members.map { $0.firstWanted(of: lane.readings) } == [0, nil])
    }

    @Test("does not change the batches of earlier clients", arguments: [5, 455, 1_005])
    func batchOfOthers(now: Int64) {
        var resource = Resource.open(.acceleration)
        _ = join(&resource, 1, interval: 0, batch: 1_000)
        accept(&resource, 0, at: 0)
        // What the device held back, of before it came and of after, is handed over at once.
        _ = join(&resource, 2, interval: 0, batch: 1_000, now: now)
        var got: [[[UInt64]]] = [[], []]
        for index: UInt64 in 1...200 {
            resource.accept(Samples.acceleration(index, at: Int64(index) * 10), now: at(2_000))
            guard resource.lanes[0].hasOutgoing else { continue }
            let readings = resource.lanes[0].readings
            for member in resource.lanes[0].members {
                got[member.client.number - 1].append(member.wanted(of: readings).map(\.sequence))
            }
            resource.lanes[0].didSend()
        }
        #expect(got[0] == [Array(0...99), Array(100...199)])
        #expect(got[1].joined().elementsEqual(UInt64(now / 10 + 1)...199))
    }

    @Test("gets nothing that was measured before the device was lost")
    func heldSampleOfLostDevice() {
        var resource = Resource.open(.acceleration)
        _ = join(&resource, 1, interval: 100)
        for index: UInt64 in 0...5 { accept(&resource, index, at: Int64(index) * 10) }
        resource.lanes[0].didSend()
        _ = resource.accept(.unavailable(reason: "unplugged"))
        _ = join(&resource, 2, interval: 100, now: 60)
        resource.expire(now: at(60_000_000))
        let lane = resource.lanes[0]
        #expect(lane.readings.map(\.sequence) == [5])
        #expect(lane.members.map { $0.firstWanted(of: lane.readings) } == [0, nil])
    }

    @Test("with a minimum change waits for the whole interval after its first reading")
    func minimumChangeAfterFirst() {
        var resource = Resource.open(.acceleration)
        _ = join(&resource, 1, interval: 1_000)
        for index: UInt64 in 0...15 { accept(&resource, index, at: Int64(index) * 10) }
        #expect(join(&resource, 2, interval: 100, change: 1, now: 155)?.sequence == 15)
        for index: UInt64 in 16...24 { accept(&resource, index, at: Int64(index) * 10) }
        #expect(!resource.lanes[1].hasOutgoing)
        accept(&resource, 25, at: 250)
        #expect(resource.lanes[1].readings.map(\.sequence) == [25])
    }

    @Test("gets nothing older than its interval, even if it arrives later", arguments: [(0, 0), (0, 500), (40, 0)])
    func lateSamplesFromBefore(interval: Int64, batch: Int64) {
        var resource = Resource.open(.acceleration)
        _ = join(&resource, 1, interval: interval, batch: batch)
        accept(&resource, 0, at: 0)
        resource.lanes[0].didSend()
        // What the device held back comes at 100.
        _ = join(&resource, 2, interval: interval, batch: batch, now: 55)
        var got: [[UInt64]] = [[], []]
        for index: UInt64 in 1...10 {
            resource.accept(Samples.acceleration(index, at: Int64(index) * 10), now: at(100))
            note(&resource, &got)
        }
        resource.lanes[0].closeBatch()
        note(&resource, &got)
        let all: [UInt64] = interval == 0 ? Array(1...10) : [4, 8]
        #expect(got == [all, all.filter { Int64($0) * 10 >= 55 - interval }])
    }

    @Test("gets the gap of a returning device, as far as it was subscribed by then")
    func overflowAfterOutage() {
        var resource = Resource.open(.acceleration)
        _ = join(&resource, 1, interval: 10)
        accept(&resource, 0, at: 0)
        _ = resource.accept(.unavailable(reason: "unplugged"))
        _ = join(&resource, 2, interval: 10, now: 40)
        resource.lanes[0].didSend()
        resource.deviceOpened()
        let gap = Gap(cause: .deviceOverflow, count: 5, from: at(30), until: at(70))
        resource.accept(gap)
        #expect(resource.lanes[0].gaps.map(\.cause) == [.deviceLost, .deviceOverflow])
        #expect(resource.lanes[0].gaps[0].until == at(30))
        #expect(resource.lanes[0].members.map { $0.concerns(gap) } == [true, true])
        #expect(resource.lanes[0].members.map { $0.concerns(resource.lanes[0].gaps[0]) } == [true, false])
    }

    /// Sends what there is, and notes what each client wants of it.
    private func note(_ resource: inout Resource, _ got: inout [[UInt64]]) {
        guard resource.lanes[0].hasOutgoing else { return }
        let readings = resource.lanes[0].readings
        for member in resource.lanes[0].members {
            got[member.client.number - 1] += member.wanted(of: readings).map(\.sequence)
        }
        resource.lanes[0].didSend()
    }

    private func accept(_ resource: inout Resource, _ sequence: UInt64, at nanoseconds: Int64) {
        resource.accept(Samples.acceleration(sequence, at: nanoseconds), now: at(nanoseconds))
    }

    private func join(
        _ resource: inout Resource, _ client: Client, interval: Int64, batch: Int64 = 0, change: Double? = nil,
        now: Int64 = 0
    ) -> Sample? {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.batchNanoseconds = batch
        request.minimumChange = change
        return resource.join(client, Grant(request, within: resource.limits), now: at(now))
    }
}
