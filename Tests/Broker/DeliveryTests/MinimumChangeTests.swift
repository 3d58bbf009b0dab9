import Foundation
import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("A client with a minimum change") struct MinimumChangeTests: ~Copyable {
    private var resource = Resource.open(.acceleration)
    private let pace = Pace(periodNanoseconds: 10, stallNanoseconds: 0)

    @Test("gets no unchanged reading when it changes its request", arguments: [3.0, nil])
    mutating func change(former: Double?) {
        _ = resource.join(1, grant(interval: 100, former), now: at(0))
        #expect(accept(0, at: 0, x: 0) == [0])
        _ = accept(1, at: 100, x: former ?? 0)
        let member = resource.leave(1)
        #expect(resource.join(1, grant(interval: 50, 3), now: at(195), inheriting: member) == nil)
        #expect(accept(2, at: 200, x: 1) == [])
        #expect(accept(3, at: 300, x: 2 * (former ?? 1.5)) == [3])
    }

    @Test("gets the newest reading at once when it changes its request, if that has changed enough")
    mutating func changeAfterMove() {
        _ = resource.join(1, grant(interval: 200, 3), now: at(0))
        #expect(accept(0, at: 0, x: 0) == [0])
        #expect(accept(1, at: 100, x: 5) == [])
        let member = resource.leave(1)
        #expect(resource.join(1, grant(interval: 50, 3), now: at(105), inheriting: member)?.sequence == 1)
    }

    @Test("gets a gap without a count, since the change of lost samples is unknown", arguments: [0, 20])
    func loss(interval: Int64) {
        var lane = Lane(grant: grant(interval: interval, 1_000), anchor: nil)
        for index: UInt64 in 0..<50 {
            let time = at(Int64(index) * 10)
            lane.offer(Samples.acceleration(index, at: time.nanoseconds, x: 0), now: time, pace: pace)
            lane.didSend()
        }
        lane.offer(Gap(cause: .deviceOverflow, count: 10, from: at(500), until: at(590)), pace: pace)
        #expect(lane.gaps == [Gap(cause: .deviceOverflow, count: nil, from: at(500), until: at(590))])
    }

    @Test("gets the first reading after an absence of the device, changed or not", arguments: [false, true])
    mutating func absence(changesRequest: Bool) {
        _ = resource.join(1, grant(interval: 20, 3), now: at(0))
        #expect(accept(0, at: 0, x: 0) == [0])
        #expect(accept(1, at: 100, x: 1) == [])
        _ = resource.accept(.unavailable(reason: "unplugged"))
        if changesRequest { _ = resource.join(1, grant(interval: 50, 3), now: at(195), inheriting: resource.leave(1)) }
        resource.deviceOpened()
        _ = resource.accept(.active)
        #expect(accept(0, at: 500, x: 1) == [0])
        #expect(accept(1, at: 600, x: 2) == [])
    }

    private mutating func accept(_ sequence: UInt64, at time: Int64, x: Double) -> [UInt64] {
        resource.accept(Samples.acceleration(sequence, at: time, x: x), now: at(time))
        let readings = resource.lanes[0].readings
        resource.lanes[0].members[0].didDeliver(readings)
        resource.lanes[0].didSend()
        return readings.map(\.sequence)
    }

    private func grant(interval: Int64, _ minimumChange: Double?) -> Grant {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.minimumChange = minimumChange
        return Grant(request, within: resource.limits)
    }
}

@Suite("The change between two measurements") struct ChangeTests {
    private func change(_ kind: Kind, _ first: SIMD4<Double>, _ second: SIMD4<Double>) -> Double {
        Change.between(.values(Values(kind, first)), .values(Values(kind, second)))
    }

    @Test("of rotations is the angle between them, whichever sign they have", arguments: [0, 1e-6, 0.1, 3])
    func rotation(angle: Double) {
        let second = SIMD4(sin(angle / 2), 0, 0, cos(angle / 2))
        for sign in [1.0, -1] { #expect(abs(change(.rotation, [0, 0, 0, 1], second * sign) - angle) < 1e-12) }
    }

    @Test(
        "of headings is the smaller angle", arguments: [(350.0, 10.0, 20.0), (10, 350, 20), (0, 180, 180), (5, 6, 1)])
    func heading(from: Double, to: Double, angle: Double) {
        #expect(change(.heading, [from, 0, 0, 0], [to, 0, 0, 0]) == angle)
    }

    @Test("of what is near or not counts always, that of the count by its amount")
    func proximity() {
        #expect(change(.proximity, [0, 10, 0, 0], [1, 10, 0, 0]) == .infinity)
        #expect(change(.proximity, [1, 10, 0, 0], [1, 14, 0, 0]) == 4)
    }
}

@Suite("A kind that is sent on change") struct SentOnChangeTests: ~Copyable {
    private static let name = Kind.illuminance.row.firstResource
    private var resource = Resource.open(.illuminance)

    private func grant(change: Double? = nil, interval: Int64 = 10) -> Grant {
        var request = Request(resource: Self.name)
        request.intervalNanoseconds = interval
        request.minimumChange = change
        return Grant(request, within: resource.limits)
    }

    private mutating func accept(_ sequence: UInt64, lux: Double) {
        let time = BootTime(nanoseconds: Int64(sequence) * 10)
        resource.accept(
            Sample(sequence: sequence, timestamp: time, measurement: .values(Values(.illuminance, [lux, 0, 0, 0]))),
            now: time)
    }

    @Test("has a change from which on it is sent, unless another is asked for, or every sample")
    func usual() {
        #expect(grant().minimumChange == 1)
        #expect(grant(change: 5).minimumChange == 5 && grant(change: 0).minimumChange == nil)
        #expect(grant(interval: 0).minimumChange == nil)
        #expect(Grant(Request(resource: .accelerometer), within: resource.limits).minimumChange == nil)
    }

    @Test("is sent at once, and then when it has changed")
    mutating func sent() {
        _ = resource.join(1, grant(), now: BootTime(nanoseconds: 0))
        var sent: [UInt64] = []
        for (index, lux) in [100.0, 100.5, 100.9, 101.1, 101.2, 90].enumerated() {
            accept(UInt64(index), lux: lux)
            sent += resource.lanes[0].readings.map(\.sequence)
            resource.lanes[0].didSend()
        }
        #expect(sent == [0, 3, 5])
    }

    private func demand(_ grants: Grant...) -> [Quantity: Double]? {
        var resource = Resource.open(.illuminance)
        for (client, grant) in grants.enumerated() {
            _ = resource.join(Client(client), grant, now: BootTime(nanoseconds: 0))
        }
        var arbitration = Arbitration()
        _ = arbitration.settle(resource.wishes, offered: nil, now: BootTime(nanoseconds: 0))
        return arbitration.demand?.changes
    }

    @Test("lets its device sleep through changes that matter to nobody, but not if anybody needs every sample")
    func sleep() {
        var mean = Request(resource: Self.name)
        (mean.intervalNanoseconds, mean.filter) = (10_000_000, .mean)
        var companion = Request(resource: Self.name)
        companion.alignTo = "accelerometer"
        let needy = [
            grant(change: 0), grant(interval: 0), grant(change: 3, interval: 0),
            Grant(mean, within: resource.limits), Grant(companion, within: resource.limits),
        ]
        #expect(demand(grant(change: 5), grant(change: 3), grant(change: 30)) == [Quantity(.illuminance): 3])
        #expect(demand(grant()) == [Quantity(.illuminance): 1])
        for other in needy { #expect(demand(grant(change: 5), other) == [:]) }
    }

    @Test("lets its device sleep even if other kinds do not; a kind that is sent at an interval never does")
    func others() {
        var accelerometer = Resource.open(.acceleration)
        var request = Request(resource: .accelerometer)
        request.minimumChange = 1
        _ = accelerometer.join(1, Grant(request, within: accelerometer.limits), now: BootTime(nanoseconds: 0))
        var light = Resource.open(.illuminance)
        _ = light.join(2, grant(), now: BootTime(nanoseconds: 0))
        var arbitration = Arbitration()
        _ = arbitration.settle(accelerometer.wishes + light.wishes, offered: nil, now: BootTime(nanoseconds: 0))
        #expect(arbitration.demand?.changes == [Quantity(.illuminance): 1])
        // A call that waits for a sample wakes it at once; it sleeps again after a while.
        light.countWaitingRead(1)
        _ = arbitration.settle(accelerometer.wishes + light.wishes, offered: nil, now: BootTime(nanoseconds: 1))
        #expect(arbitration.demand?.changes == [:])
        light.countWaitingRead(-1)
        let later = BootTime(nanoseconds: 2) + Arbitration.dwellNanoseconds
        _ = arbitration.settle(accelerometer.wishes + light.wishes, offered: nil, now: BootTime(nanoseconds: 2))
        #expect(arbitration.demand?.changes == [:])
        _ = arbitration.settle(accelerometer.wishes + light.wishes, offered: nil, now: later)
        #expect(arbitration.demand?.changes == [Quantity(.illuminance): 1])
    }

    @Test("is sent to a newcomer at once, however old it is, but not of a device that nobody follows any more")
    mutating func newcomer() {
        accept(0, lux: 100)
        let later = BootTime(nanoseconds: 1_000_000)
        #expect(resource.join(1, grant(), now: later)?.sequence == 0)
        _ = resource.accept(.unavailable(reason: "gone"))
        #expect(resource.join(2, grant(), now: later) == nil)
    }
}
