internal import Devices
internal import Platform
internal import Readings

/// A running device, read in one of two ways: `BufferedCapture` or `PolledCapture`.
protocol Capture: ~Copyable {
    var readiness: Readiness { get }
    var profile: DeviceProfile { get }
    var lastStamp: BootTime? { get }
    /// The kinds that are delivered.
    var kinds: KindSet { get }
    /// Whether the buffer has delivered a sample in this opening; nil if the device is polled.
    var bufferDelivered: Bool? { get }
    mutating func read(into intake: inout Intake) throws(DeviceFault)
    /// Changes the pace and the delivered kinds; false if the device must be opened again for that.
    mutating func adjust(to demand: Demand) throws(DeviceFault) -> Bool
}

extension Session {
    /// Starts to capture its device for a demand, by the ladder's current rung; nil if the driver refuses that rung.
    ///
    /// It checks for other programs that use the device before it writes anything.
    consuming func start(_ demand: Demand, _ ladder: CaptureLadder) throws(DeviceFault) -> (any Capture & ~Copyable)? {
        let (sensor, rung) = (sensor, ladder.rung)
        let hasNode = try claim()
        let pace: Pace
        do throws(SystemError) {
            pace = try setPace(intervalNanoseconds: demand.intervalNanoseconds, by: rung)
        } catch { throw sensor.fault(error) }
        guard rung != .polling, hasNode, let layout = sensor.layout else {
            let reason = sensor.obstacle ?? (hasNode ? (ladder.isBelowSilence ? .silent : .refused) : .noBuffer)
            return try PolledCapture(self, because: reason, pace, demand)
        }
        if sensor.address.isNetwork, NetworkRefill.isTooSlow(pace.intervalNanoseconds) {
            return try PolledCapture(self, because: .slow, pace, demand)
        }
        let sizing = BufferSizing(pace, self, demand)
        guard let source = try startBuffer(layout, sizing, by: rung) else { return nil }
        return try BufferedCapture(
            self, by: rung, layout: layout, stampedBy: source, sizing: sizing, pace: pace, kinds: demand.kinds)
    }
}

/// Why a device is polled, and not read through its buffer; the raw value is text for people.
///
/// Polling costs several calls for each sample, samples at moments that the device did not choose and may mix two
/// measurements, so it is the last resort.
enum PollingReason: String {
    case noBuffer = "it has no buffer"
    case unbuffered = "some requested kinds are in no buffer"
    case noTrigger = "nothing fills its buffer"
    case refused = "its buffer cannot be started"
    case silent = "its buffer delivered nothing"
    case slow = "too slow for a buffer over the network"
}

/// How long a refill of a buffer over the network may take.
///
/// libiio cannot distinguish a slow sensor from a dead iiod, and after a time-out the connection is of no more use. A
/// quarter of a second stays clear of the half second that the iiod waits.
enum NetworkRefill {
    private static let longestNanoseconds: Int64 = 250_000_000

    /// Whether a device is so slow that it is polled.
    static func isTooSlow(_ intervalNanoseconds: Int64) -> Bool { intervalNanoseconds > longestNanoseconds }

    /// The latency that a buffer is sized for.
    ///
    /// A refill over the network is a round trip: it brings what was measured in that time and a sample more, else more would be
    /// measured than refilled.
    static func latency(_ nanoseconds: Int64, intervalNanoseconds: Int64, roundTripNanoseconds: Int64?) -> Int64 {
        guard let roundTripNanoseconds else { return nanoseconds }
        let step = min(intervalNanoseconds, longestNanoseconds)
        return max(nanoseconds, roundTripNanoseconds + step).clamped(to: 5_000_000...longestNanoseconds)
    }
}
