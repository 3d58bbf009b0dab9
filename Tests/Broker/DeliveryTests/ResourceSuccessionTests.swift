import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("A resource that continues in another process") struct ResourceSuccessionTests {
    private let interval: Int64 = 50

    /// A resource whose device runs at a period of 10.
    private func resource() -> Resource {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        _ = resource.accept(
            DeviceProfile(
                offered: .discrete([10]), intervalNanoseconds: 10, description: nil, simulated: true))
        return resource
    }

    private func grant(_ interval: Int64, minimumChange: Double? = nil) -> Grant {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.minimumChange = minimumChange
        return Grant(request, held: interval, batchNanoseconds: 0, batchReadings: nil)
    }

    /// Takes what all lanes have to send: the times of readings, and gaps.
    private func take(_ resource: inout Resource) -> (readings: [Int64], gaps: [Gap]) {
        var sent: (readings: [Int64], gaps: [Gap]) = ([], [])
        for index in resource.lanes.indices where resource.lanes[index].hasOutgoing {
            sent.readings += resource.lanes[index].readings.map(\.timestamp.nanoseconds)
            sent.gaps += resource.lanes[index].gaps
            resource.lanes[index].didSend()
        }
        return sent
    }

    /// Samples every 10 from one instant to before another.
    private func run(_ resource: inout Resource, _ range: Range<Int64>) -> (readings: [Int64], gaps: [Gap]) {
        for (index, time) in stride(from: range.lowerBound, to: range.upperBound, by: 10).enumerated() {
            resource.accept(Samples.acceleration(UInt64(index), at: time), now: at(time))
        }
        return take(&resource)
    }

    private func former(until end: Int64, _ grant: Grant) -> Resource {
        var resource = resource()
        resource.deviceOpened()
        _ = resource.accept(.active)
        _ = resource.join(1, grant, now: at(0))
        _ = run(&resource, 0..<end)
        return resource
    }

    private func account(in former: borrowing Resource) throws -> ClientAccount {
        let account = former.account(of: 1)
        return try #require(account)
    }

    /// What the next process makes of it.
    private func successor(
        of former: borrowing Resource, _ grant: Grant, account: ClientAccount? = nil
    ) throws -> Resource {
        var resource = resource()
        resource.resume(after: former.interruption, grid: former.grid)
        let account = try #require(account ?? former.account(of: 1))
        resource.resume(7, grant, account)
        resource.deviceOpened()
        _ = resource.accept(.active)
        return resource
    }

    @Test("keeps the grid, and counts what was due meanwhile")
    func countsWhatWasDue() throws {
        let former = former(until: 105, grant(interval))
        #expect(former.account(of: 1)?.nextDue == at(150))
        var next = try successor(of: former, grant(interval))
        // Its samples lie otherwise than those of before: 300 was due and is served by 303, 150, 200 and 250 are missing.
        let sent = run(&next, 303..<420)
        #expect(sent.readings == [303, 353, 403])
        #expect(sent.gaps == [Gap(cause: .restarted, count: 3, from: at(100), until: at(303))])
    }

    @Test(
        "does not forget when a reading was last due, if the request is changed before the next one",
        arguments: [false, true])
    func changes(beforeOpening: Bool) throws {
        let former = former(until: 105, grant(interval))
        var next = resource()
        next.resume(after: former.interruption, grid: former.grid)
        next.resume(7, grant(interval), try account(in: former))
        if !beforeOpening {
            next.deviceOpened()
            let sent = run(&next, 110..<130)
            #expect(sent.readings.isEmpty)
        }
        let member = next.leave(7)
        let atOnce = next.join(7, grant(40), now: at(125), inheriting: member)
        #expect(member != nil && atOnce == nil)
        if beforeOpening { next.deviceOpened() }
        // The point of the new grid that is nearest to an interval after 100.
        let sent = run(&next, 130..<300)
        #expect(sent.readings == [160, 200, 240, 280] && sent.gaps.isEmpty)
    }

    @Test("reports nothing if nothing was due, and delivers nothing before it is due")
    func tellsNothing() throws {
        let former = former(until: 105, grant(10_000))
        var next = try successor(of: former, grant(10_000))
        let sent = run(&next, 300..<400)
        #expect(sent.readings.isEmpty && sent.gaps.isEmpty)
    }

    @Test("cannot count losses for an every-sample client, but reports the span")
    func tellsTheSpan() throws {
        let former = former(until: 105, grant(10))
        var next = try successor(of: former, grant(10))
        let sent = run(&next, 300..<325)
        #expect(sent.readings == [300, 310, 320])
        #expect(sent.gaps == [Gap(cause: .restarted, count: nil, from: at(100), until: at(300))])
    }

    @Test("cannot count losses with a minimum change")
    func minimumChange() throws {
        let grant = grant(interval, minimumChange: 0.5)
        let former = former(until: 105, grant)
        #expect(former.account(of: 1)?.nextDue == nil)
        var next = try successor(of: former, grant)
        let sent = run(&next, 300..<310)
        #expect(sent.gaps.map(\.count) == [nil])
    }

    @Test(
        "continues with the next due time, whatever period its device has had since the last sample",
        arguments: [2, 80])
    func otherPeriod(_ period: Int64) throws {
        let grant = grant(200)
        // 200 is served by 195; 400 is due in 35 when the device dies.
        for (end, first) in [(200, 400), (370, 400)] as [(Int64, Int64)] {
            var former = resource()
            former.deviceOpened()
            _ = former.accept(.active)
            _ = former.join(1, grant, now: at(0))
            _ = run(&former, 0..<1)
            _ = run(&former, 15..<end)
            _ = former.accept(
                DeviceProfile(
                    offered: .discrete([period]), intervalNanoseconds: period, description: nil, simulated: true))
            var next = resource()
            next.resume(after: former.interruption, grid: former.grid)
            next.resume(7, grant, try account(in: former))
            next.deviceOpened()
            #expect(next.account(of: 7)?.nextDue == at(first))
            #expect(run(&next, 1_000..<1_050).gaps.map(\.count) == [3])
        }
    }

    @Test("may be handed over again before its device has delivered: grid and loss are those of the first")
    func leftTwice() throws {
        let grant = grant(interval)
        let former = former(until: 105, grant)
        var between = resource()
        between.resume(after: former.interruption, grid: former.grid)
        between.resume(7, grant, try account(in: former))
        #expect(between.account(of: 7) == former.account(of: 1))
        between.deviceOpened()
        #expect(between.grid == former.grid)
        #expect(between.interruption == former.interruption)
        #expect(between.account(of: 7) == former.account(of: 1))
        // Closed and opened once more without a sample.
        between.deviceOpened()
        #expect(between.account(of: 7)?.nextDue == at(150))
        let sent = run(&between, 300..<360)
        #expect(sent.readings == [300, 350])
        #expect(sent.gaps.map(\.count) == [3])
    }

    @Test("reports an unfinished loss with its own cause, and without a count")
    func lossGoesOn() throws {
        let grant = grant(interval)
        var former = former(until: 105, grant)
        _ = former.accept(.unavailable(reason: "unplugged"))
        _ = take(&former)
        #expect(former.account(of: 1)?.nextDue == nil)
        var next = try successor(of: former, grant)
        let sent = run(&next, 300..<310)
        #expect(sent.gaps == [Gap(cause: .deviceLost, count: nil, from: at(100), until: at(300))])
    }

    @Test("does not report earlier losses to a client that joined during an outage")
    func cameInOutage() throws {
        let grant = grant(interval)
        var former = former(until: 105, grant)
        _ = former.accept(.unavailable(reason: "unplugged"))
        _ = former.leave(1)
        _ = former.join(1, grant, now: at(200))
        var next = try successor(of: former, grant)
        next.accept(Samples.acceleration(0, at: 300), now: at(300))
        let lane = next.lanes[0]
        #expect(lane.gaps.count == 1)
        #expect(!lane.members[0].concerns(lane.gaps[0]))
        #expect(lane.members[0].firstWanted(of: lane.readings) == 0)
    }

    @Test("restores its clients' accounts, and puts new clients on the same grid")
    func accounts() throws {
        let grant = grant(interval)
        let former = former(until: 105, grant)
        var account = try account(in: former)
        account.delivered = 17
        account.losses[.slowClient] = 4
        account.pendingGaps = [Gap(cause: .slowClient, count: 4, from: at(20), until: at(90))]
        var next = resource()
        next.resume(after: former.interruption, grid: former.grid)
        next.resume(7, grant, account)
        #expect(next.account(of: 7) == account)
        _ = next.join(8, self.grant(100), now: at(250))
        next.deviceOpened()
        _ = next.accept(.active)
        let sent = run(&next, 303..<520)
        // 400 and 500 in the same turns as the other's.
        #expect(sent.readings == [303, 353, 403, 453, 503, 303, 403, 503])
        // To one that came meanwhile nothing is reported.
        #expect(next.lanes.count == 2)
        #expect(next.lanes[1].members[0].client == 8)
    }

    @Test("counts what a client missed besides as lost to it, and not what was lost elsewhere")
    func servedLess() throws {
        let grant = grant(interval)
        let former = former(until: 1_005, grant)
        var next = resource()
        next.resume(after: former.interruption, grid: former.grid)
        var account = try account(in: former)
        account.losses[.slowClient] = 2
        next.resume(8, grant, account, missing: Gap(cause: .restarted, count: 2, from: at(895), until: at(1_000)))
        #expect(next.account(of: 8)?.losses.total == 4)
        #expect(next.lanes.totals.losses.total == 2)
    }

    @Test("reports the restart to a client that joined during an outage, if the device had delivered again by then")
    func witness() throws {
        let grant = grant(interval)
        var former = former(until: 105, grant)
        _ = former.accept(.unavailable(reason: "unplugged"))
        _ = take(&former)
        _ = former.leave(1)
        _ = former.join(1, grant, now: at(205))
        former.deviceOpened()
        _ = former.accept(.active)
        // Measured just before it came, and for it.
        former.accept(Samples.acceleration(0, at: 200), now: at(206))
        _ = take(&former)
        var next = try successor(of: former, grant)
        next.accept(Samples.acceleration(0, at: 400), now: at(400))
        let lane = next.lanes[0]
        #expect(lane.gaps.count == 1)
        #expect(lane.members[0].concerns(lane.gaps[0]))
    }
}

extension Resource {
    fileprivate var interruption: Interruption? {
        loss ?? newest.map { Interruption(from: $0.timestamp, cause: .restarted) }
    }
}
