public import Devices
public import Platform
public import Readings
internal import Synchronization

/// The simulated devices of a broker: their threads, and one more that sees to it that faults begin and end on time.
public final class MockDevices: Sendable {
    /// One of them.
    public struct Part: Sendable {
        /// What clients name it.
        public let name: ResourceName
        /// What it measures.
        public let script: MockScript
        /// What else it measures, each with a name of its own.
        public let further: [(name: ResourceName, script: MockScript)]
        let board: FaultBoard
    }

    /// What one is to be.
    public struct Plan: Sendable {
        /// What clients will name it.
        public let name: ResourceName
        /// What it measures; this decides its rates.
        public let script: MockScript
        /// What else it measures, each of another kind and with a name of its own.
        public let further: [(name: ResourceName, script: MockScript)]
        /// What is to go wrong with it, in nanoseconds since the script began.
        public let faults: FaultTimeline

        /// A device.
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

    /// All of them.
    public let parts: [Part]
    private let origin: MockOrigin
    private let director: FaultDirector

    /// Devices with what is to go wrong with each, by the time since the script began; nothing is started yet.
    ///
    /// Receivers take the script's beginning for an instant of UTC, or, with nil, for the host's time.
    public init(_ plans: [Plan], utcNanoseconds: Int64? = nil) throws(SystemError) {
        let origin = MockOrigin(utcNanoseconds: utcNanoseconds)
        self.origin = origin
        parts = plans.map {
            Part(name: $0.name, script: $0.script, further: $0.further, board: FaultBoard($0.faults, origin: origin))
        }
        director = try FaultDirector()
    }

    /// Those that are simulated where no scenario says otherwise.
    public convenience init() throws(SystemError) {
        try self.init(
            Kind.all.enumerated().compactMap { index, kind in
                MockScript.usual(kind, seed: UInt64(index) + 1).map { Plan(kind.row.firstResource, $0) }
            })
    }

    /// Starts a thread for each, on a channel for each in the same order.
    public func start(on channels: [DeviceChannel], seed: UInt64) throws(SystemError) {
        for (part, channel) in zip(parts, channels) {
            let (script, further, board, origin) = (part.script, part.further.map(\.script), part.board, origin)
            try DeviceThread.start(name: "\(part.name)", channel: channel, seed: seed) {
                MockDevice(script, further: further, board, origin: origin)
            }
        }
    }

    /// Starts the thread that has devices looked at when faults begin and end; it lasts as long as the process.
    public func directFaults(on channels: [DeviceChannel]) throws(SystemError) {
        try director.start(zip(parts, channels).map { ($0.board, $1) }, origin)
    }

    /// Lets something happen to the one that has a resource; false where there was nothing to do, nil where there is no resource
    /// of that name.
    public func take(_ order: FaultOrder, _ name: ResourceName) -> Bool? {
        let part = parts.first { part in part.name == name || part.further.contains { $0.name == name } }
        guard let part else { return nil }
        defer { director.wake() }
        return part.board.take(order)
    }
}
