internal import Devices
internal import Platform
internal import Readings

/// A running device, read in one of two ways.
enum Capture: ~Copyable {
    case buffered(BufferedCapture)
    case polled(PolledCapture)

    /// Starts to capture a session's device for a demand, by the ladder's current rung; nil if the driver refuses that
    /// rung.
    ///
    /// It checks for other programs that use the device before it writes anything.
    static func start(
        _ session: consuming Session, _ demand: Demand, _ ladder: CaptureLadder
    ) throws(DeviceFault) -> Capture? {
        let sensor = session.sensor
        let rung = ladder.rung
        let hasNode = try session.claim()
        let pace: Pace
        do throws(SystemError) {
            pace = try session.setPace(intervalNanoseconds: demand.intervalNanoseconds, by: rung)
        } catch { throw sensor.fault(error) }
        guard rung != .polling, hasNode, let layout = sensor.layout else {
            let reason = sensor.obstacle ?? (hasNode ? (ladder.isBelowSilence ? .silent : .refused) : .noBuffer)
            return .polled(try PolledCapture(session, because: reason, pace, demand))
        }
        let plan = CapturePlan(
            isNetwork: sensor.address.isNetwork, intervalNanoseconds: pace.intervalNanoseconds)
        guard plan == .buffered else { return .polled(try PolledCapture(session, because: .slow, pace, demand)) }
        let sizing = BufferSizing(pace, session, demand)
        guard let source = try session.startBuffer(layout, sizing, by: rung) else { return nil }
        return .buffered(
            try BufferedCapture(
                session, by: rung, layout: layout, stampedBy: source, sizing: sizing, pace: pace, kinds: demand.kinds))
    }
}

// What both ways of reading have in common, forwarded to the one in use. An enum with noncopyable payloads is changed
// by taking the payload out and putting it back on every way out.
extension Capture {
    var readiness: Readiness {
        switch self {
        case .buffered(let capture): capture.readiness
        case .polled(let capture): capture.readiness
        }
    }

    var profile: DeviceProfile {
        switch self {
        case .buffered(let capture): capture.profile
        case .polled(let capture): capture.profile
        }
    }

    var lastStamp: BootTime? {
        switch self {
        case .buffered(let capture): capture.lastStamp
        case .polled(let capture): capture.lastStamp
        }
    }

    /// The kinds that are delivered.
    var kinds: KindSet {
        switch self {
        case .buffered(let capture): capture.kinds
        case .polled(let capture): capture.kinds
        }
    }

    /// Whether the buffer has delivered a sample in this opening; nil if the device is polled.
    var bufferDelivered: Bool? {
        switch self {
        case .buffered(let capture): capture.hasDelivered
        case .polled: nil
        }
    }

    mutating func read(into intake: inout Intake) throws(DeviceFault) {
        let result: Result<Void, DeviceFault>
        switch consume self {
        case .buffered(var capture):
            result = Result { () throws(DeviceFault) in try capture.read(into: &intake) }
            self = .buffered(capture)
        case .polled(var capture):
            result = Result { () throws(DeviceFault) in try capture.read(into: &intake) }
            self = .polled(capture)
        }
        try result.get()
    }

    /// Changes the pace and the delivered kinds; false if the device must be opened again for that.
    mutating func adjust(to demand: Demand) throws(DeviceFault) -> Bool {
        let result: Result<Bool, DeviceFault>
        switch consume self {
        case .buffered(var capture):
            result = Result { () throws(DeviceFault) in try capture.adjust(to: demand) }
            self = .buffered(capture)
        case .polled(var capture):
            result = Result { () throws(DeviceFault) in try capture.adjust(to: demand) }
            self = .polled(capture)
        }
        return try result.get()
    }
}

/// How to get samples from a device: through its buffer if that can work, else by polling it.
///
/// Polling costs several calls for each sample, samples at moments that the device did not choose and may mix two
/// measurements, so it is the last resort. Over the network, a device is polled too if its refills take long: libiio
/// cannot distinguish a slow sensor from a dead iiod, and after a time-out the connection is of no more use. A quarter
/// of a second stays clear of the half second that the iiod waits.
enum CapturePlan: Equatable {
    case buffered
    case polled(Reason)

    /// Why a device is polled; the raw value is text for people.
    enum Reason: String {
        case noBuffer = "it has no buffer"
        case unbuffered = "some requested kinds are in no buffer"
        case noTrigger = "nothing fills its buffer"
        case refused = "its buffer cannot be started"
        case silent = "its buffer delivered nothing"
        case slow = "too slow for a buffer over the network"
    }

    static let longestNetworkRefillNanoseconds: Int64 = 250_000_000

    /// The plan for a device that has a buffer, at an interval.
    init(isNetwork: Bool, intervalNanoseconds: Int64) {
        self = isNetwork && intervalNanoseconds > Self.longestNetworkRefillNanoseconds ? .polled(.slow) : .buffered
    }

    /// The latency that a buffer is sized for.
    ///
    /// A refill over the network is a round trip: it brings what was measured in that time and a sample more, else more would be
    /// measured than refilled.
    static func latency(_ nanoseconds: Int64, intervalNanoseconds: Int64, roundTripNanoseconds: Int64?) -> Int64 {
        guard let roundTripNanoseconds else { return nanoseconds }
        let step = min(intervalNanoseconds, longestNetworkRefillNanoseconds)
        return max(nanoseconds, roundTripNanoseconds + step).clamped(to: 5_000_000...longestNetworkRefillNanoseconds)
    }
}
