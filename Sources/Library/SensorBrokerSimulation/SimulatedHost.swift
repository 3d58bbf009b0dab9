internal import Configuration
internal import Locking
internal import Mock
package import Platform
internal import Replay
internal import Scenarios
public import SensorBroker

/// A host whose sensors are simulated, or replayed from a recording, behind a broker within this process.
///
///     let host = try SimulatedHost(scenario: "city-drive")
///     let location = LocationManager(broker: Broker(.simulated(host)))
///     try host.begin(.noFix, for: .seconds(30))
///
/// The script begins when one of the sensors is first used. Several brokers may use one host, as several programs do.
/// The host ends with the last of them.
public final class SimulatedHost: LocalBroker, Sendable {
    private enum Source: Sendable {
        case devices(Scenario?)
        case recording(Recording)
    }

    private enum State: Sendable {
        case planned(Source)
        case running(InProcessBroker, MockDevices?)
    }

    private let state: Locked<State>

    private init(_ source: Source) { state = Locked(State.planned(source)) }

    /// Creates a host with a receiver on a drive and a hand-held accelerometer.
    public convenience init() { self.init(.devices(nil)) }

    /// Creates the host of a scenario: one of ``scenarioNames``, or a file.
    ///
    /// The text of a scenario is described in `docs/mock.md`. Here `Speed=` does not count, since time passes as it does, and a track is
    /// not read from GPX. Throws ``/SensorServices/SensorError/invalidRequest(_:)`` with all errors and their lines.
    public convenience init(scenario nameOrPath: String) throws(SensorError) {
        self.init(.devices(try Self.parsed { () throws(ConfigurationErrors) in try Scenario(nameOrPath) }))
    }

    /// Creates the host of a scenario in a text; files that it names are relative to the directory.
    public convenience init(scenarioText text: String, directory: String? = nil) throws(SensorError) {
        self.init(
            .devices(
                try Self.parsed { () throws(ConfigurationErrors) in try Scenario(text: text, directory: directory) }))
    }

    /// Creates a host that repeats a file of `sensorctl record` for ever.
    public convenience init(recording path: String) throws(SensorError) {
        do { self.init(.recording(try Recording(path: path))) } catch { throw .invalidRequest("\(error)") }
    }

    /// The names of the scenarios that come with the library.
    public static let scenarioNames = Scenario.shippedNames

    private static func parsed(_ scenario: () throws(ConfigurationErrors) -> Scenario) throws(SensorError) -> Scenario {
        do throws(ConfigurationErrors) { return try scenario() } catch {
            throw .invalidRequest(error.all.map(\.description).joined(separator: "\n"))
        }
    }

    /// Opens a connection to its broker, which the first one starts.
    package func connect() throws(SensorError) -> Descriptor {
        let broker = try run().broker
        do throws(SystemError) { return try broker.connect() } catch { throw .system("\(error)") }
    }

    /// Opens a connection to it for a provider.
    package func connectFeed() throws(SensorError) -> Descriptor {
        let broker = try run().broker
        do throws(SystemError) { return try broker.connect(provides: true) } catch { throw .system("\(error)") }
    }

    /// Starts it, unless it runs.
    private func run() throws(SensorError) -> (broker: InProcessBroker, devices: MockDevices?) {
        try state.withLock { (state) throws(SensorError) in
            switch state {
            case .running(let broker, let devices): return (broker, devices)
            case .planned(let source):
                do throws(SystemError) {
                    let (broker, devices) = try Self.start(source)
                    state = .running(broker, devices)
                    return (broker, devices)
                } catch {
                    throw .system("\(error)")
                }
            }
        }
    }

    private static func start(_ source: Source) throws(SystemError) -> (InProcessBroker, MockDevices?) {
        switch source {
        case .recording(let recording): return (try InProcessBroker(replaying: recording), nil)
        case .devices(nil):
            let devices = try MockDevices()
            return (try InProcessBroker(devices), devices)
        case .devices(let scenario?):
            let devices = try MockDevices(scenario.plans, utcNanoseconds: scenario.utcNanoseconds)
            return (try InProcessBroker(devices), devices)
        }
    }
}

extension SimulatedHost {
    /// Begins a fault now, of a sensor's device, for a time.
    ///
    /// Without a name it happens to the only device that can have it; without a time it lasts until ``endFaults(of:)``. A fault of the same
    /// kind that is present is replaced.
    public func begin(
        _ fault: SimulatedFault, of resource: ResourceName? = nil, for duration: Duration? = nil
    ) throws(SensorError) {
        let nanoseconds = duration?.clampedNanoseconds
        guard nanoseconds ?? 1 > 0 else { throw .invalidRequest("a fault needs a duration above 0, or none") }
        guard !fault.isMomentary || duration == nil else {
            throw .invalidRequest("\(fault) is over as soon as it has happened: leave out the duration")
        }
        let devices = try devices()
        do throws(FaultRefusal) {
            let order = FaultOrder.begin(try fault.checked(), nanoseconds: nanoseconds)
            _ = devices.take(order, try order.target(named: resource, among: devices.plans.flatMap(\.resources)))
        } catch {
            throw .invalidRequest(error.words)
        }
    }

    /// Ends all faults of a sensor's device, or of all devices.
    public func endFaults(of resource: ResourceName? = nil) throws(SensorError) {
        let devices = try devices()
        guard let resource else {
            for plan in devices.plans { _ = devices.take(.end(nil), plan.name) }
            return
        }
        guard devices.take(.end(nil), resource) != nil else { throw .noSuchResource(resource) }
    }

    private func devices() throws(SensorError) -> MockDevices {
        guard let devices = try run().devices else {
            throw .invalidRequest("a recording is replayed as it is: only simulated devices can have faults")
        }
        return devices
    }
}
