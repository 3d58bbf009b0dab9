internal import Devices
internal import IIO
internal import Mock
internal import Platform
internal import Programs
internal import Readings
internal import Scenarios
internal import Service

/// The devices to drive, and their drivers.
struct DevicePlan {
    private enum Source {
        case mock(MockDevices)
        case replay(ReplayedDevices)
        case hardware(HardwareClaims)
    }

    private let source: Source

    /// A plan for a recording, played once or repeatedly.
    init(replaying file: String, goesRound: Bool) throws(Failure) {
        source = .replay(try ReplayedDevices(file, goesRound: goesRound))
    }

    /// A plan for simulated devices: those of a scenario, or the default ones.
    init(simulating scenario: Scenario?) throws(Failure) {
        do throws(SystemError) {
            if let scenario {
                source = .mock(try MockDevices(scenario.plans, utcNanoseconds: scenario.utcNanoseconds))
            } else {
                source = .mock(try MockDevices())
            }
        } catch {
            throw Failure(error)
        }
    }

    /// A plan for these settings, with a lock for each piece of hardware in it.
    init(_ settings: Settings, _ locks: HardwareLocks) throws(Failure) {
        source = .hardware(try HardwareClaims(settings, locks))
    }

    private static func list(_ names: [ResourceName]) -> String {
        let words = names.map(\.description)
        guard words.count > 1 else { return words.joined() }
        return "\(words.dropLast().joined(separator: ", ")) and \(words[words.count - 1])"
    }

    var names: String {
        switch source {
        case .mock(let devices): "mock \(Self.list(devices.plans.flatMap(\.resources).map(\.name)))"
        case .replay(let devices): "a recording of \(Self.list(devices.names))"
        case .hardware: "location and accelerometer"
        }
    }

    func start(for broker: Broker) throws(SystemError) {
        // The back-off differs between hosts and between starts.
        let seed = UInt64.random(in: .min ... .max)
        switch source {
        case .mock(let devices): try start(devices, seed, for: broker)
        case .replay(let devices): try devices.start(for: broker)
        case .hardware(let claims):
            let location = try DeviceChannel()
            let accelerometer = try DeviceChannel()
            try broker.add(.location, .location, location, isSimulated: false)
            try broker.add(.accelerometer, .acceleration, accelerometer, isSimulated: false)
            try broker.addDerived(now: BootTime(nanoseconds: Clock.bootNanoseconds()))
            let arrivals = try ResourceArrivals()
            try broker.serve(arrivals)
            try Receivers(claims.gpsd, claims.locks, arrivals).start(on: location)
            try SensorWatch.start(first: accelerometer, arrivals: arrivals, seed: seed) {
                let share = claims.sensors.share()
                let admit: SensorWatch.Admission = { (address) throws(DeviceFault) in
                    let endpoints = try address.resolved()
                    try claims.locks.admit(HardwareClaims.hardware(of: address, endpoints), to: share)
                    return endpoints
                }
                return (options: { share.renew() }, admit: admit)
            }
            broker.take(arrivals, now: BootTime(nanoseconds: Clock.bootNanoseconds()))
        }
    }

    private func start(_ devices: MockDevices, _ seed: UInt64, for broker: Broker) throws(SystemError) {
        var channels: [DeviceChannel] = []
        for plan in devices.plans {
            let channel = try DeviceChannel()
            try broker.add(plan.name, plan.script.kind, channel, isSimulated: true)
            for (name, kind) in plan.resources.dropFirst() { _ = broker.add(name, kind, ofDeviceOf: plan.name) }
            channels.append(channel)
        }
        try broker.addDerived(now: BootTime(nanoseconds: Clock.bootNanoseconds()))
        try devices.start(on: channels, seed: seed)
        try devices.directFaults(on: channels)
    }

    /// Answers calls for faults, which only simulated devices can have.
    var faults: AdminCalls.Mock {
        let calls = FaultCalls { [source] order, name in
            guard case .mock(let devices) = source else { return nil }
            return devices.take(order, name)
        }
        return calls.answer
    }

    // MARK: other settings

    /// The locations of the hardware; nil for simulated or recorded devices.
    var claims: HardwareClaims? {
        guard case .hardware(let claims) = source else { return nil }
        return claims
    }

    /// Makes the devices' threads use what was prepared; cannot fail.
    func move(to next: HardwareClaims.Next, _ broker: Broker) {
        guard let claims else { return }
        if let gpsd = next.gpsd {
            claims.gpsd.move(to: gpsd)
            broker.remakeDevices(of: [.location])
        }
        if let sensors = next.sensors {
            claims.sensors.move(to: sensors)
            broker.remakeDevices(of: .iio)
        }
    }
}
