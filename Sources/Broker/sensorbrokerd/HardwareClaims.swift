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
        gpsd = Claim(.init(source: settings.gpsd, locks: try locks.take(Self.hardware(of: settings.gpsd))))
        sensors = Claim(.init(source: settings.sensors, locks: try locks.take(Self.hardware(of: settings.sensors))))
    }

    /// Takes the locks of the hardware that other settings name, and changes nothing else yet.
    ///
    /// May block. A refusal is an error of the line that names the hardware.
    func prepare(_ settings: Settings, _ configured: Configured<Settings>) throws(ConfigurationErrors) -> Next {
        Next(
            gpsd: try next(gpsd, settings.gpsd, Self.hardware(of: settings.gpsd), "[Location] Gpsd=", configured),
            sensors: try next(
                sensors, settings.sensors, Self.hardware(of: settings.sensors), "[Accelerometer] Context=", configured))
    }

    /// What a claim will hold; nil: it does not change.
    private func next<Source>(
        _ claim: Claim<Source>, _ source: Source, _ hardware: @autoclosure () -> [Hardware], _ title: String,
        _ configured: Configured<Settings>
    ) throws(ConfigurationErrors) -> Claim<Source>.Holding? {
        guard claim.holding.source != source else { return nil }
        do throws(Failure) { return .init(source: source, locks: try locks.take(hardware())) } catch {
            let origin = configured.origins[title]
            throw ConfigurationErrors(
                ConfigurationProblem(
                    file: origin?.file ?? configured.files.last ?? "the defaults", line: origin?.line,
                    "\(title) cannot be used: \(error)"))
        }
    }

    /// None if the resolver does not know the host yet; the driver asks again later and then takes the lock.
    private static func hardware(of address: GpsdAddress) -> [Hardware] {
        ((try? address.resolved()) ?? []).map(Hardware.gpsd)
    }

    private static func hardware(of options: SensorOptions) -> [Hardware] {
        hardware(of: options.address, (try? options.address.resolved()) ?? [])
    }

    /// The hardware at an address of sensors.
    ///
    /// A kernel without IIO has no device to lock.
    static func hardware(of address: IIOAddress, _ endpoints: [TCPEndpoint]) -> [Hardware] {
        guard !address.isNetwork else { return endpoints.map(Hardware.iiod) }
        return LocalSensors.identity.map { [.sensors($0)] } ?? []
    }
}
