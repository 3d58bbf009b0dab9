public import Readings

/// The receiver of delivery's messages to clients, and of what happens to devices and resources.
///
/// The daemon's sink encodes bytes for sockets; the simulation's has modelled sockets and an auditor. Calls come in the order
/// in which clients must see their effects. While `send` runs, the sink must not use the resource's core.
public protocol Sink: AnyObject {
    // MARK: messages of a stream, which a client whose socket is full misses

    /// Sends a message to members of a lane: to each by `LaneMessage.send`, which keeps its account.
    func send(_ message: LaneMessage, to members: inout [Member], of resource: OwnedResource, now: BootTime)
    /// The lanes of a resource are about to send: its state must have been sent to their members before.
    func willSend(from resource: OwnedResource, onlyGathering: Bool, now: BootTime)
    /// The resource's lanes have sent.
    func didSend(from resource: OwnedResource, onlyGathering: Bool, now: BootTime)

    // MARK: replies, which are never dropped

    /// Reports to a client what it missed, with the newest reading if that follows now.
    func sendMissed(
        _ gaps: [Gap], _ reading: Sample?, of resource: OwnedResource, withSatellites: Bool, to client: Client,
        now: BootTime)
    /// Answers a call that waited for a sample.
    func answer(_ read: WaitingRead, _ outcome: WaitingRead.Outcome, of resource: OwnedResource, now: BootTime)

    // MARK: what happens to devices and resources

    /// An event of a device is about to be taken.
    func willTake(_ event: DeviceEvent, of device: Device, now: BootTime)
    /// Samples of a run are about to be taken.
    func willTake(_ run: SampleRun, _ range: Range<Int>, of device: Device, now: BootTime)
    /// A resource is about to change its state: the present one must have been sent to everybody before.
    func willChangeState(of resource: OwnedResource, now: BootTime)
    /// A resource has changed its state.
    func didChangeState(of resource: OwnedResource, now: BootTime)
    /// The properties of a resource's device, or how it runs, have changed.
    func didChangeProfile(of resource: OwnedResource, now: BootTime)
    /// The device of a resource was opened: its samples count from 0 again.
    func didOpen(_ resource: OwnedResource, now: BootTime)
    /// An attempt to use the device of a resource failed.
    func didFail(_ resource: OwnedResource, reason: String, now: BootTime)
    /// A sample of which clients get nothing but what follows from its direction.
    func derive(from sample: Sample, of resource: OwnedResource, now: BootTime)
    /// The state for what is derived from a resource may have changed, though that of the resource has not.
    func didChangeSource(_ resource: OwnedResource, now: BootTime)
    /// The demand on a device has changed.
    func didChangeDemand(of device: Device, now: BootTime)
    /// A resource of a device is requested that was not before, or the other way round.
    func didChangeInterest(in device: Device)
}

extension Sink {
    /// Does nothing.
    public func derive(from sample: Sample, of resource: OwnedResource, now: BootTime) {}
    /// Does nothing.
    public func didChangeSource(_ resource: OwnedResource, now: BootTime) {}
    /// Does nothing.
    public func willTake(_ event: DeviceEvent, of device: Device, now: BootTime) {}
    /// Does nothing.
    public func willTake(_ run: SampleRun, _ range: Range<Int>, of device: Device, now: BootTime) {}
}
