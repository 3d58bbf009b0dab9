internal import Devices
internal import Platform
internal import Readings

/// A running device, read in one of two ways.
enum Capture: ~Copyable {
    case buffered(BufferedCapture)
    case polled(PolledCapture)

    /// Starts what a session captures of a device for a demand on a rung of the ladder; nil where the driver refuses that rung.
    ///
    /// Who else has the device is asked before anything is written.
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
            return .polled(PolledCapture(session, because: reason, pace, demand))
        }
        let plan = CapturePlan(
            isNetwork: sensor.address.isNetwork, intervalNanoseconds: pace.intervalNanoseconds)
        guard plan == .buffered else { return .polled(PolledCapture(session, because: .slow, pace, demand)) }
        let sizing = BufferSizing(pace, sensor, demand)
        guard let source = try session.startBuffer(layout, sizing, by: rung) else { return nil }
        return .buffered(try BufferedCapture(session, layout, rung, sizing, pace, source, demand.kinds))
    }
}
