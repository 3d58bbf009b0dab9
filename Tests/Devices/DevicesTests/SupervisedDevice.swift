import Devices
import Readings

/// A supervisor on virtual time, with the vocabulary of its tests.
struct SupervisedDevice {
    static let second: Int64 = 1_000_000_000
    static let fault = DeviceFault(.missing, "nobody listens")

    var supervisor: Supervisor
    var now = BootTime(nanoseconds: 1000 * second)

    init(warmGraceSeconds: Int64 = 10) {
        supervisor = Supervisor(seed: 1, warmGraceNanoseconds: warmGraceSeconds * Self.second)
    }

    /// A device that was probed and opened for 10 Hz, and has given its first sample.
    static func active(warmGraceSeconds: Int64 = 10) -> Self {
        var device = Self(warmGraceSeconds: warmGraceSeconds)
        device.probe()
        device.open()
        device.sample()
        _ = device.state
        return device
    }

    static func demand(milliseconds: Int64 = 100) -> Demand { Demand(intervalNanoseconds: milliseconds * 1_000_000) }

    static func profile(milliseconds: Int64? = 100) -> DeviceProfile {
        DeviceProfile(
            offered: .discrete([1_000_000]), intervalNanoseconds: milliseconds.map { $0 * 1_000_000 }, description: nil,
            simulated: true)
    }

    var next: SupervisorAction { mutating get { supervisor.next(at: now) } }

    /// The state change since the last call.
    var state: ResourceState? { mutating get { supervisor.takeStateChange() } }

    mutating func pass(seconds: Double) { now = now + Int64(seconds * Double(Self.second)) }

    mutating func probe() {
        _ = next
        supervisor.probed()
    }

    mutating func open(milliseconds: Int64 = 100) {
        let demand = Self.demand(milliseconds: milliseconds)
        supervisor.demand(demand, at: now)
        _ = next
        supervisor.opened(Self.profile(milliseconds: milliseconds), for: demand, at: now)
    }

    mutating func ask(milliseconds: Int64? = 100) {
        supervisor.demand(milliseconds.map { Self.demand(milliseconds: $0) }, at: now)
    }

    mutating func sample() { supervisor.sampled(1, at: now) }

    /// What the device's thread does after an empty read.
    mutating func comeEmpty() {
        do throws(DeviceFault) {
            try supervisor.cameEmpty(at: now)
        } catch {
            supervisor.failed(error, at: now)
        }
    }

    mutating func fail() { supervisor.failed(Self.fault, at: now) }

    /// Lets the deadline of the wait pass without a sample, this late.
    mutating func waitInVain(lateSeconds: Double = 0) {
        guard case .run(let deadline) = next else { return }
        now = deadline
        pass(seconds: lateSeconds)
        comeEmpty()
    }
}
