internal import Devices
internal import Platform
internal import Readings

/// A running device, read in one of two ways.
enum Capture: ~Copyable {
    case buffered(BufferedCapture)
    case polled(PolledCapture)

    /// Starts a session's accelerometer for a demand; who else has it is asked before anything is written.
    init(_ session: consuming Session, _ demand: Demand, avoidingBuffer: Bool) throws(DeviceFault) {
        let accelerometer = session.accelerometer
        let obstacle = try session.claim() ?? (avoidingBuffer ? .silent : nil)
        let pace: Pace
        do throws(SystemError) {
            pace = try session.setPace(intervalNanoseconds: demand.intervalNanoseconds)
        } catch { throw accelerometer.fault(error) }
        let plan = CapturePlan(
            obstacle: obstacle, isNetwork: accelerometer.address.isNetwork,
            intervalNanoseconds: pace.intervalNanoseconds)
        if case .polled(let reason) = plan {
            self = .polled(PolledCapture(session, because: reason, pace, demand))
        } else if let layout = accelerometer.layout {
            self = try Self.buffered(session, layout, pace, demand)
        } else {
            self = .polled(PolledCapture(session, because: .noBuffer, pace, demand))
        }
    }

    /// Through the buffer if it can be started.
    private static func buffered(
        _ session: consuming Session, _ layout: ScanLayout, _ pace: Pace, _ demand: Demand
    ) throws(DeviceFault) -> Capture {
        let sizing = BufferSizing(pace, session.accelerometer, demand)
        guard let source = try session.startBuffer(layout, sizing) else {
            return .polled(PolledCapture(session, because: .refused, pace, demand))
        }
        return .buffered(try BufferedCapture(session, layout, sizing, pace, source))
    }
}
