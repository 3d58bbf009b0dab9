internal import Configuration
internal import Gpsd
internal import IIO
internal import Platform
internal import Programs

/// The locations of the hardware that the settings name, with the hardware's locks.
///
/// Finding these may block on a name server or on the holder of a lock, so another thread prepares new locations, and
/// the loop's thread only puts them in force.
struct HardwareClaims: Sendable {
    let gpsd: Claim<GpsdAddress>
    let sensors: Claim<SensorOptions>
    let locks: HardwareLocks

    /// The claims of other settings; nil for those that do not change.
    struct Next: Sendable {
        fileprivate(set) var gpsd: Claim<GpsdAddress>.Holding?
        fileprivate(set) var sensors: Claim<SensorOptions>.Holding?
    }

    /// The hardware of these settings.
    ///
    /// May block.
    init(_ settings: Settings, _ locks: HardwareLocks) throws(Failure) {
        self.locks = locks
        gpsd = Claim(try Self.holding(settings.gpsd, locks))
        sensors = Claim(try Self.holding(settings.sensors, locks))
    }

    /// Takes the locks of the hardware that other settings name, and changes nothing else yet.
    ///
    /// May block. A refusal is an error of the line that names the hardware.
    func prepare(_ settings: Settings, _ configured: Configured<Settings>) throws(ConfigurationErrors) -> Next {
        var next = Next()
        if gpsd.holding.source != settings.gpsd {
            next.gpsd = try blaming("[Location] Gpsd=", configured) { () throws(Failure) in
                try Self.holding(settings.gpsd, locks)
            }
        }
        if sensors.holding.source != settings.sensors {
            next.sensors = try blaming("[Accelerometer] Context=", configured) { () throws(Failure) in
                try Self.holding(settings.sensors, locks)
            }
        }
        return next
    }

    /// Without a lock if the resolver does not know the host yet; the driver asks again later and then takes the lock.
    private static func holding(
        _ address: GpsdAddress, _ locks: HardwareLocks
    ) throws(Failure) -> Claim<GpsdAddress>.Holding {
        let endpoints = (try? address.resolved()) ?? []
        return .init(source: address, locks: try locks.take(endpoints.map(Hardware.gpsd)))
    }

    private static func holding(
        _ source: SensorOptions, _ locks: HardwareLocks
    ) throws(Failure) -> Claim<SensorOptions>.Holding {
        let endpoints = (try? source.address.resolved()) ?? []
        return .init(source: source, locks: try locks.take(hardware(of: source.address, endpoints)))
    }

    /// The hardware at an address of sensors.
    ///
    /// A kernel without IIO has no device to lock.
    static func hardware(of address: IIOAddress, _ endpoints: [TCPEndpoint]) -> [Hardware] {
        guard !address.isNetwork else { return endpoints.map(Hardware.iiod) }
        return LocalSensors.identity.map { [.sensors($0)] } ?? []
    }

    private func blaming<Holding>(
        _ title: String, _ configured: Configured<Settings>, _ take: () throws(Failure) -> Holding
    ) throws(ConfigurationErrors) -> Holding {
        do throws(Failure) { return try take() } catch {
            let origin = configured.origins[title]
            throw ConfigurationErrors(
                ConfigurationProblem(
                    file: origin?.file ?? configured.files.last ?? "the defaults", line: origin?.line,
                    "\(title) cannot be used: \(error)"))
        }
    }
}
