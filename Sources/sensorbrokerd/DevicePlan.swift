internal import Devices
internal import Gpsd
internal import IIO
internal import Mock
internal import Platform
internal import Readings
internal import Service

/// Which devices are to be driven, and by what.
struct DevicePlan {
    private enum Source {
        case mock
        case hardware(gpsd: GpsdAddress, iio: IIOAddress)
    }

    private let source: Source

    init(_ arguments: Arguments) {
        source =
            arguments.mock ? .mock : .hardware(gpsd: arguments.gpsd ?? .localhost, iio: arguments.iio ?? .local)
    }

    /// The pieces of hardware that no other broker may have, each under one name however it was written.
    ///
    /// A kernel without IIO has no device to fight over.
    var hardware: [String] {
        switch source {
        case .mock: []
        case .hardware(let gpsd, let iio):
            ["gpsd:\(gpsd.isLoopback ? "localhost:\(gpsd.port)" : "\(gpsd)")"]
                + (iio == .local && !IIOAddress.isOnHost ? [] : ["iio:\(iio)"])
        }
    }

    /// The resources, for people.
    var names: String {
        switch source {
        case .mock: "mock location and accelerometer"
        case .hardware: "location and accelerometer"
        }
    }

    /// Starts a thread for each device.
    func start(for broker: Broker) throws(SystemError) {
        let location = try DeviceChannel()
        let accelerometer = try DeviceChannel()
        try broker.add(.location, .location, location, isSimulated: isSimulated)
        try broker.add(.accelerometer, .acceleration, accelerometer, isSimulated: isSimulated)
        // Back-off differs from host to host and from start to start.
        let seed = UInt64.random(in: .min ... .max)
        switch source {
        case .mock:
            try DeviceThread.start(name: "location", channel: location, seed: seed) { MockLocation(seed: 1) }
            try DeviceThread.start(name: "accelerometer", channel: accelerometer, seed: seed) {
                MockAccelerometer(seed: 2)
            }
        case .hardware(let gpsd, let iio):
            try DeviceThread.start(name: "gpsd", channel: location, seed: seed) { GpsdDevice(gpsd) }
            try startAccelerometers(at: iio, accelerometer, seed: seed, broker)
        }
    }

    /// This host's are watched and may be several; of those behind an iiod the first is served.
    private func startAccelerometers(
        at address: IIOAddress, _ channel: DeviceChannel, seed: UInt64, _ broker: Broker
    ) throws(SystemError) {
        guard address == .local else {
            return try DeviceThread.start(name: "iio", channel: channel, seed: seed) { IIOAccelerometer(at: address) }
        }
        let arrivals = try ResourceArrivals()
        try broker.serve(arrivals)
        try AccelerometerWatch.start(AccelerometerOptions(), first: channel, arrivals: arrivals, seed: seed)
    }

    private var isSimulated: Bool {
        switch source {
        case .mock: true
        case .hardware: false
        }
    }
}
