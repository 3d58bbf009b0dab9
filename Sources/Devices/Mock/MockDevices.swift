public import Devices
public import Platform
public import Readings
internal import Synchronization

/// The simulated devices of a broker: their threads, and one more that times their faults.
public final class MockDevices: Sendable {
    /// What a simulated device should be.
    public struct Plan: Sendable {
        /// The name of its resource.
        public let name: ResourceName
        /// The device's script, which determines its rates.
        public let script: MockScript
        /// The scripts of its further kinds, with the names of their resources.
        public let further: [(name: ResourceName, script: MockScript)]
        /// The device's faults, in nanoseconds since the start of the script.
        public let faults: FaultTimeline

        /// Creates a plan for a device.
        public init(
            _ name: ResourceName, _ script: MockScript, _ faults: FaultTimeline = FaultTimeline(),
            further: [(name: ResourceName, script: MockScript)] = []
        ) {
            self.name = name
            self.script = script
            self.faults = faults
            self.further = further
        }

        /// All resources of the device, with their kinds.
        public var resources: [(name: ResourceName, kind: Kind)] {
            [(name, script.kind)] + further.map { ($0.name, $0.script.kind) }
        }
    }

    /// All devices.
    public let plans: [Plan]
    /// The faults of each.
    let boards: [FaultBoard]
    private let origin: MockOrigin
    private let director: FaultDirector

    /// Creates devices without starting them.
    ///
    /// The script starts at this instant of UTC for receivers; nil: the host's time.
    public init(_ plans: [Plan], utcNanoseconds: Int64? = nil) throws(SystemError) {
        let origin = MockOrigin(utcNanoseconds: utcNanoseconds)
        self.origin = origin
        self.plans = plans
        boards = plans.map { FaultBoard($0.faults, origin: origin) }
        director = try FaultDirector()
    }

    /// Creates the devices that are simulated without a scenario.
    public convenience init() throws(SystemError) {
        try self.init(
            Kind.all.enumerated().compactMap { index, kind in
                MockScript.usual(kind, seed: UInt64(index) + 1).map { Plan(kind.row.firstResource, $0) }
            })
    }

    /// Starts a thread for each device, on channels in the same order.
    public func start(on channels: [DeviceChannel], seed: UInt64) throws(SystemError) {
        for (index, (plan, channel)) in zip(plans, channels).enumerated() {
            let (board, origin) = (boards[index], origin)
            try DeviceThread.start(name: "\(plan.name)", channel: channel, seed: seed) {
                MockDevice(
                    plan.script, further: plan.further.map(\.script), board, origin: origin,
                    identity: "simulated \(plan.name)")
            }
        }
    }

    /// Starts the thread that wakes devices when faults begin and end; it lasts until `endFaults`.
    public func directFaults(on channels: [DeviceChannel]) throws(SystemError) {
        try director.start(Array(zip(boards, channels)), origin)
    }

    /// Ends that thread.
    public func endFaults() { director.end() }

    /// Applies an order to the device of a resource now; false if nothing changed, nil if there is no such resource.
    public func take(_ order: FaultOrder, _ name: ResourceName) -> Bool? {
        let index = plans.firstIndex { plan in plan.resources.contains { $0.name == name } }
        guard let index else { return nil }
        defer { director.wake() }
        return boards[index].take(order)
    }
}
