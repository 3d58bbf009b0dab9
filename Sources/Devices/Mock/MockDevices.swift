public import Devices
public import Platform
public import Readings
internal import Synchronization

/// The simulated devices of a broker: their threads, and one more that times their faults.
public final class MockDevices: Sendable {
    /// A simulated device.
    public struct Part: Sendable {
        /// The name of its resource.
        public let name: ResourceName
        /// The device's script.
        public let script: MockScript
        /// The scripts of its further kinds, with the names of their resources.
        public let further: [(name: ResourceName, script: MockScript)]
        let board: FaultBoard
    }

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
    }

    /// All devices.
    public let parts: [Part]
    private let origin: MockOrigin
    private let director: FaultDirector

    /// Creates devices without starting them.
    ///
    /// The script starts at this instant of UTC for receivers; nil: the host's time.
    public init(_ plans: [Plan], utcNanoseconds: Int64? = nil) throws(SystemError) {
        let origin = MockOrigin(utcNanoseconds: utcNanoseconds)
        self.origin = origin
        parts = plans.map {
            Part(name: $0.name, script: $0.script, further: $0.further, board: FaultBoard($0.faults, origin: origin))
        }
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
        for (part, channel) in zip(parts, channels) {
            let (script, further, board, origin) = (part.script, part.further.map(\.script), part.board, origin)
            let identity = "simulated \(part.name)"
            try DeviceThread.start(name: "\(part.name)", channel: channel, seed: seed) {
                MockDevice(script, further: further, board, origin: origin, identity: identity)
            }
        }
    }

    /// Starts the thread that wakes devices when faults begin and end; it lasts until `endFaults`.
    public func directFaults(on channels: [DeviceChannel]) throws(SystemError) {
        try director.start(zip(parts, channels).map { ($0.board, $1) }, origin)
    }

    /// Ends that thread.
    public func endFaults() { director.end() }

    /// Applies an order to the device of a resource now; false if nothing changed, nil if there is no such resource.
    public func take(_ order: FaultOrder, _ name: ResourceName) -> Bool? {
        let part = parts.first { part in part.name == name || part.further.contains { $0.name == name } }
        guard let part else { return nil }
        defer { director.wake() }
        return part.board.take(order)
    }
}
