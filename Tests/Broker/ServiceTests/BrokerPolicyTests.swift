import Admission
import Delivery
import Devices
import Platform
import Readings
import Testing

@testable import Service

@Suite("A setting or a release") struct BrokerPolicyTests {
    private let now = BootTime(nanoseconds: 1_000_000_000)

    private func broker() throws -> Broker {
        Broker(server: try Server(), journal: Journal(), health: nil, startedAt: now)
    }

    @Test("by kind also applies to a resource that is found later")
    func late() throws {
        let broker = try broker()
        let policy = ResourcePolicy(
            warmGraceNanoseconds: 0, intervals: IntervalPolicy(minimumNanoseconds: 30_000_000))
        broker.configure(.acceleration, policy, now: now)
        broker.releases.release(.kind(.acceleration), seconds: nil, to: broker.sink, now: now)
        try broker.add(.location, .location, try DeviceChannel(), isSimulated: true)
        try broker.add(.accelerometer, .acceleration, try DeviceChannel(), isSimulated: true)
        let (location, accelerometer) = (broker.catalog.resources[0], broker.catalog.resources[1])
        #expect(accelerometer.core.limits.minimumNanoseconds == 30_000_000)
        #expect(location.core.limits.minimumNanoseconds == 50_000_000)
        #expect(broker.catalog.device(of: 1).isReleased && !broker.catalog.device(of: 0).isReleased)
        #expect(broker.releases.reacquire(.all, to: broker.sink, now: now) == [.accelerometer])
        #expect(!broker.catalog.device(of: 1).isReleased)
    }

    @Test("of intervals applies as well to a sensor that is read for what follows from it")
    func derived() throws {
        let rig = try RevisedBroker()
        try rig.broker.addDerived(now: rig.now)
        try rig.subscribe([Request(resource: ResourceName("orientation") ?? .accelerometer)])
        let granted = { rig.broker.derivations.all.compactMap { $0.inputs[0].grant?.intervalNanoseconds } }
        #expect(granted() == [100_000_000])
        let policy = ResourcePolicy(
            warmGraceNanoseconds: 0, intervals: IntervalPolicy(minimumNanoseconds: 500_000_000))
        rig.broker.configure(.acceleration, policy, now: rig.now)
        #expect(granted() == [500_000_000])
    }

    @Test("with a duration has a deadline, at which the device is reacquired")
    func expires() throws {
        let broker = try broker()
        try broker.add(.accelerometer, .acceleration, try DeviceChannel(), isSimulated: true)
        #expect(broker.deadline == nil)
        broker.releases.release(.all, seconds: 5, to: broker.sink, now: now)
        #expect(broker.deadline == now + 5_000_000_000)
        broker.turnDidEnd(now: now + 5_000_000_000)
        #expect(broker.deadline == nil && broker.releases.devices.orders == Releases())
    }
}
