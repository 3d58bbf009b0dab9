public import SensorBroker

extension Broker.Transport {
    /// A host of this broker's own within this process, with a receiver on a drive and a hand-held accelerometer.
    public static let mock = local("simulated devices") { SimulatedHost() }

    /// A host of this broker's own within this process, with the devices and faults of a scenario: a name or a file.
    ///
    /// Users of the broker get the error if there is no such scenario; `SimulatedHost(scenario:)` throws it at once.
    public static func mock(scenario nameOrPath: String) -> Self {
        local("the scenario \(nameOrPath)") { () throws(SensorError) in try SimulatedHost(scenario: nameOrPath) }
    }

    /// A host of this broker's own within this process that repeats a file of `sensorctl record` for ever.
    public static func replay(file: String) -> Self {
        local("the recording \(file)") { () throws(SensorError) in try SimulatedHost(recording: file) }
    }

    /// A host that other brokers may use as well, and that can have faults.
    public static func simulated(_ host: SimulatedHost) -> Self {
        local("the simulated host \(ObjectIdentifier(host))") { host }
    }

    /// The transport of a name in the environment; nil if it is not one of these.
    static func simulated(named name: String) throws(SensorError) -> Self? {
        if name == "mock" { return .mock }
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "mock": return .mock(scenario: parts[1])
        case "replay": return .replay(file: parts[1])
        default: return nil
        }
    }
}

extension Broker {
    /// The simulated host that it uses, made if need be; nil if it has a daemon.
    ///
    /// Throws if its scenario or its recording is invalid.
    public var simulatedHost: SimulatedHost? {
        get throws(SensorError) { try localBroker() as? SimulatedHost }
    }
}

/// Lets the environment choose simulated sensors: the library calls it if the program has it.
@_cdecl("sensorbroker_simulation")
func sensorbrokerSimulation() -> UnsafeMutableRawPointer {
    let transports = SimulatedTransports { (name) throws(SensorError) in try .simulated(named: name) }
    return unsafe Unmanaged.passRetained(transports).toOpaque()
}
