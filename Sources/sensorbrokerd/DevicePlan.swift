internal import Devices
internal import Gpsd
internal import IIO
internal import Mock
internal import Platform
internal import Readings
internal import Replay
internal import Service

/// Which devices are to be driven, and by what.
struct DevicePlan {
    private enum Source {
        case mock
        case replay(Recording, goesRound: Bool)
        case hardware(gpsd: Claim<GpsdAddress>, accelerometers: Claim<AccelerometerOptions>)
    }

    private let source: Source
    private let locks: HardwareLocks

    /// A plan for these settings, with a lock for each piece of hardware in it.
    init(_ settings: Settings, _ arguments: Arguments, _ locks: HardwareLocks) throws(StartFailure) {
        self.locks = locks
        if let file = arguments.replay {
            source = .replay(try Self.recording(file), goesRound: arguments.loop)
            return
        }
        guard !arguments.mock else {
            source = .mock
            return
        }
        source = .hardware(
            gpsd: Claim(try Self.holding(settings.gpsd, locks)),
            accelerometers: Claim(try Self.holding(settings.accelerometers, locks)))
    }

    /// The resources, for people.
    var names: String {
        switch source {
        case .mock: "mock location and accelerometer"
        case .replay(let recording, _):
            "a recording of \(recording.tracks.map(\.name.description).joined(separator: ", "))"
        case .hardware: "location and accelerometer"
        }
    }

    /// Starts a thread for each device.
    func start(for broker: Broker) throws(SystemError) {
        if case .replay(let recording, let goesRound) = source {
            return try start(recording, goesRound: goesRound, for: broker)
        }
        let location = try DeviceChannel()
        let accelerometer = try DeviceChannel()
        try broker.add(.location, .location, location, isSimulated: isSimulated)
        try broker.add(.accelerometer, .acceleration, accelerometer, isSimulated: isSimulated)
        try broker.addOrientation(of: .accelerometer, isSimulated: isSimulated)
        // Back-off differs from host to host and from start to start.
        let seed = UInt64.random(in: .min ... .max)
        switch source {
        case .mock:
            try DeviceThread.start(name: "location", channel: location, seed: seed) { MockLocation(seed: 1) }
            try DeviceThread.start(name: "accelerometer", channel: accelerometer, seed: seed) {
                MockAccelerometer(seed: 2)
            }
        case .replay: break
        case .hardware(let gpsd, let accelerometers):
            let arrivals = try ResourceArrivals()
            try broker.serve(arrivals)
            try Receivers(gpsd, arrivals).start(on: location)
            try AccelerometerWatch.start(first: accelerometer, arrivals: arrivals, seed: seed) {
                let share = accelerometers.share()
                return { share.renew() }
            }
        }
    }

    /// A thread for each track; which edge was up follows from the accelerometer where it was not recorded.
    private func start(_ recording: Recording, goesRound: Bool, for broker: Broker) throws(SystemError) {
        let timeline = ReplayTimeline(of: recording, goesRound: goesRound)
        for (seed, track) in recording.tracks.enumerated() {
            let channel = try DeviceChannel()
            try broker.add(track.name, track.kind, channel, isSimulated: true)
            try DeviceThread.start(
                name: "replay", channel: channel, seed: UInt64(seed), warmGraceNanoseconds: 0
            ) { ReplayDevice(track, on: timeline) }
        }
        let names = recording.tracks.map(\.name)
        if names.contains(.accelerometer), !names.contains(.orientation) {
            try broker.addOrientation(of: .accelerometer, isSimulated: true)
        }
    }

    private static func recording(_ file: String) throws(StartFailure) -> Recording {
        do throws(RecordingError) { return try Recording(path: file) } catch {
            throw StartFailure(.data, "\(file): \(error)")
        }
    }

    // MARK: other settings

    /// Takes the locks of what the settings name anew; nothing is changed yet, and nothing at all where one is refused.
    func prepareGpsd(_ settings: Settings) throws(StartFailure) -> Claim<GpsdAddress>.Holding? {
        guard case .hardware(let claim, _) = source, claim.holding.source != settings.gpsd else { return nil }
        return try Self.holding(settings.gpsd, locks)
    }

    /// The same for the accelerometers.
    func prepareAccelerometers(_ settings: Settings) throws(StartFailure) -> Claim<AccelerometerOptions>.Holding? {
        guard case .hardware(_, let claim) = source, claim.holding.source != settings.accelerometers else { return nil }
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

    private static func holding(
        _ address: GpsdAddress, _ locks: HardwareLocks
    ) throws(StartFailure) -> Claim<GpsdAddress>.Holding {
        // One name however it was written.
        let name = address.isLoopback ? "localhost:\(address.port)" : "\(address)"
        return .init(source: address, lock: try locks.take("gpsd:\(name)"))
    }

    private static func holding(
        _ source: AccelerometerOptions, _ locks: HardwareLocks
    ) throws(StartFailure) -> Claim<AccelerometerOptions>.Holding {
        // A kernel without IIO has no device to fight over.
        let isNothing = source.address == .local && !IIOAddress.isOnHost
        return .init(source: source, lock: try locks.take(isNothing ? nil : "iio:\(source.address)"))
    }

    private var isSimulated: Bool {
        switch source {
        case .mock, .replay: true
        case .hardware: false
        }
    }
}
