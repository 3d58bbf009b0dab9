internal import Devices
internal import Gpsd
internal import IIO
internal import Mock
internal import Platform
internal import Readings
internal import Scenarios
internal import Service

/// Which devices are to be driven, and by what.
struct DevicePlan {
    private enum Source {
        case mock(MockDevices)
        case replay(ReplayedDevices)
        case hardware(gpsd: Claim<GpsdAddress>, accelerometers: Claim<AccelerometerOptions>)
    }

    private let source: Source
    private let locks: HardwareLocks?

    /// A plan for a recording, played once or round and round.
    init(replaying file: String, goesRound: Bool) throws(StartFailure) {
        locks = nil
        source = .replay(try ReplayedDevices(file, goesRound: goesRound))
    }

    /// A plan for simulated devices: those of a scenario, or those that are usual.
    init(simulating scenario: Scenario?) throws(StartFailure) {
        locks = nil
        do throws(SystemError) {
            if let scenario {
                source = .mock(try MockDevices(scenario.plans, utcNanoseconds: scenario.utcNanoseconds))
            } else {
                source = .mock(try MockDevices())
            }
        } catch {
            throw StartFailure(error)
        }
    }

    /// A plan for these settings, with a lock for each piece of hardware in it.
    init(_ settings: Settings, _ locks: HardwareLocks) throws(StartFailure) {
        self.locks = locks
        source = .hardware(
            gpsd: Claim(try Self.holding(settings.gpsd, locks)),
            accelerometers: Claim(try Self.holding(settings.accelerometers, locks)))
    }

    /// The resources, for people.
    var names: String {
        switch source {
        case .mock(let devices): "mock \(devices.parts.map(\.name.description).joined(separator: " and "))"
        case .replay(let devices): "a recording of \(devices.names.map(\.description).joined(separator: " and "))"
        case .hardware: "location and accelerometer"
        }
    }

    /// Starts a thread for each device.
    func start(for broker: Broker) throws(SystemError) {
        // Back-off differs from host to host and from start to start.
        let seed = UInt64.random(in: .min ... .max)
        switch source {
        case .mock(let devices): try start(devices, seed, for: broker)
        case .replay(let devices): try devices.start(for: broker)
        case .hardware(let gpsd, let accelerometers):
            let location = try DeviceChannel()
            let accelerometer = try DeviceChannel()
            try broker.add(.location, .location, location, isSimulated: false)
            try broker.add(.accelerometer, .acceleration, accelerometer, isSimulated: false)
            try broker.addOrientation(of: .accelerometer, isSimulated: false)
            let arrivals = try ResourceArrivals()
            try broker.serve(arrivals)
            guard let locks else { return }
            try Receivers(gpsd, locks, arrivals).start(on: location)
            try AccelerometerWatch.start(first: accelerometer, arrivals: arrivals, seed: seed) {
                let share = accelerometers.share()
                return AccelerometerWatch.Access(options: { share.renew() }) { (address) throws(DeviceFault) in
                    let endpoints = try address.resolved()
                    try locks.admit(Self.hardware(of: address, endpoints), to: share)
                    return endpoints
                }
            }
        }
    }

    private func start(_ devices: MockDevices, _ seed: UInt64, for broker: Broker) throws(SystemError) {
        var channels: [DeviceChannel] = []
        for part in devices.parts {
            let channel = try DeviceChannel()
            try broker.add(part.name, part.script.kind, channel, isSimulated: true)
            channels.append(channel)
        }
        try broker.addOrientation(of: .accelerometer, isSimulated: true)
        try devices.start(on: channels, seed: seed)
        try devices.directFaults(on: channels)
    }

    /// Faults on demand, where the devices are simulated.
    func faults(of broker: Broker) -> MockCalls? {
        guard case .mock(let devices) = source else { return nil }
        return MockCalls(broker) { order, name in devices.take(order, name) }
    }

    // MARK: other settings

    /// Takes the locks of what the settings name anew; nothing is changed yet, and nothing at all where one is refused.
    func prepareGpsd(_ settings: Settings) throws(StartFailure) -> Claim<GpsdAddress>.Holding? {
        guard case .hardware(let claim, _) = source, let locks, claim.holding.source != settings.gpsd else {
            return nil
        }
        return try Self.holding(settings.gpsd, locks)
    }

    /// The same for the accelerometers.
    func prepareAccelerometers(_ settings: Settings) throws(StartFailure) -> Claim<AccelerometerOptions>.Holding? {
        guard case .hardware(_, let claim) = source, let locks, claim.holding.source != settings.accelerometers else {
            return nil
        }
        return try Self.holding(settings.accelerometers, locks)
    }

    /// Has the devices' threads drive what was prepared; cannot fail.
    func move(
        gpsd: Claim<GpsdAddress>.Holding?, accelerometers: Claim<AccelerometerOptions>.Holding?, _ broker: Broker
    ) {
        guard case .hardware(let gpsdClaim, let accelerometerClaim) = source else { return }
        if let gpsd {
            gpsdClaim.move(to: gpsd)
            broker.remakeDevices(of: .location)
        }
        if let accelerometers {
            accelerometerClaim.move(to: accelerometers)
            broker.remakeDevices(of: .acceleration)
        }
    }

    /// With no lock where the resolver does not know its host yet: the driver asks again, and takes it then.
    private static func holding(
        _ address: GpsdAddress, _ locks: HardwareLocks
    ) throws(StartFailure) -> Claim<GpsdAddress>.Holding {
        let endpoints = (try? address.resolved()) ?? []
        return .init(source: address, locks: try locks.take(endpoints.map(Hardware.gpsd)))
    }

    private static func holding(
        _ source: AccelerometerOptions, _ locks: HardwareLocks
    ) throws(StartFailure) -> Claim<AccelerometerOptions>.Holding {
        let endpoints = (try? source.address.resolved()) ?? []
        return .init(source: source, locks: try locks.take(hardware(of: source.address, endpoints)))
    }

    /// A kernel without IIO has no device to fight over.
    private static func hardware(of address: IIOAddress, _ endpoints: [TCPEndpoint]) -> [Hardware] {
        guard !address.isNetwork else { return endpoints.map(Hardware.iiod) }
        return LocalSensors.identity.map { [.sensors($0)] } ?? []
    }
}
