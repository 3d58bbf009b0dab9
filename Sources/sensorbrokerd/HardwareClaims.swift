internal import Configuration
internal import Devices
internal import Gpsd
internal import IIO
internal import Platform

/// Where the hardware is that the settings name, with the locks of it.
///
/// To find out takes its time: a name server is asked, and so is whoever holds a lock. So the loop's thread does not do that:
/// it has the next places prepared on another thread, and then only puts them in force.
struct HardwareClaims: Sendable {
    let gpsd: Claim<GpsdAddress>
    let sensors: Claim<SensorOptions>
    let locks: HardwareLocks

    /// What other settings claim; nil where that stays as it is.
    struct Next: Sendable {
        fileprivate(set) var gpsd: Claim<GpsdAddress>.Holding?
        fileprivate(set) var sensors: Claim<SensorOptions>.Holding?
    }

    /// The hardware of these settings.
    ///
    /// May block.
    init(_ settings: Settings, _ locks: HardwareLocks) throws(StartFailure) {
        self.locks = locks
        gpsd = Claim(try Self.holding(settings.gpsd, locks))
        sensors = Claim(try Self.holding(settings.sensors, locks))
    }

    /// Takes the locks of what other settings name, and changes nothing yet.
    ///
    /// May block. A refusal is an error of the line that names the hardware.
    func prepare(_ settings: Settings, _ configured: Configured) throws(ConfigurationErrors) -> Next {
        var next = Next()
        if gpsd.holding.source != settings.gpsd {
            next.gpsd = try blaming("[Location] Gpsd=", configured) { () throws(StartFailure) in
                try Self.holding(settings.gpsd, locks)
            }
        }
        if sensors.holding.source != settings.sensors {
            next.sensors = try blaming("[Accelerometer] Context=", configured) { () throws(StartFailure) in
                try Self.holding(settings.sensors, locks)
            }
        }
        return next
    }

    /// With no lock where the resolver does not know its host yet: the driver asks again, and takes it then.
    private static func holding(
        _ address: GpsdAddress, _ locks: HardwareLocks
    ) throws(StartFailure) -> Claim<GpsdAddress>.Holding {
        let endpoints = (try? address.resolved()) ?? []
        return .init(source: address, locks: try locks.take(endpoints.map(Hardware.gpsd)))
    }

    private static func holding(
        _ source: SensorOptions, _ locks: HardwareLocks
    ) throws(StartFailure) -> Claim<SensorOptions>.Holding {
        let endpoints = (try? source.address.resolved()) ?? []
        return .init(source: source, locks: try locks.take(hardware(of: source.address, endpoints)))
    }

    /// What an address of sensors leads to.
    ///
    /// A kernel without IIO has no device to fight over.
    static func hardware(of address: IIOAddress, _ endpoints: [TCPEndpoint]) -> [Hardware] {
        guard !address.isNetwork else { return endpoints.map(Hardware.iiod) }
        return LocalSensors.identity.map { [.sensors($0)] } ?? []
    }

    private func blaming<Holding>(
        _ title: String, _ configured: Configured, _ take: () throws(StartFailure) -> Holding
    ) throws(ConfigurationErrors) -> Holding {
        do throws(StartFailure) { return try take() } catch {
            let origin = configured.origins[title]
            throw ConfigurationErrors(
                ConfigurationProblem(
                    file: origin?.file ?? configured.files.last ?? "the defaults", line: origin?.line,
                    "\(title) cannot be used: \(error)"))
        }
    }
}
