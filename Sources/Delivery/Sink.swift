public import Readings

/// Who serves the clients: takes what delivery has for them, and hears what else happens to devices and resources.
///
/// The daemon's is encoded bytes and sockets; the simulation's is modelled sockets, and an auditor. Each call comes in the
/// order in which clients are to see its effect. While `send` and `sendAlone` run, the sink must not look at the resource's core.
public protocol Sink: AnyObject {
    // MARK: messages of a stream, which a client whose socket is full misses

    /// Hands a message to members of a lane: `toMembers` asks for each whether its socket took it; nil: it is gone.
    func send(
        _ message: LaneMessage, of resource: OwnedResource, now: BootTime,
        toMembers: ((LaneMessage.Content, Client) -> Bool?) -> Void)
    /// Hands one client one reading; returns whether its socket took it, nil where it is gone.
    func sendAlone(
        _ reading: Sample, of resource: OwnedResource, tellsSatellites: Bool, to client: Client, now: BootTime
    ) -> Bool?
    /// The lanes of a resource have something to send: their members must have been told how it is doing.
    func willSend(from resource: OwnedResource, onlyGathering: Bool, now: BootTime)
    /// All of them have been sent it.
    func didSend(from resource: OwnedResource, onlyGathering: Bool)

    // MARK: replies, which are never dropped

    /// Tells a client what it missed, with the newest reading where that follows now.
    func tell(
        _ gaps: [Gap], _ reading: Sample?, of resource: OwnedResource, tellsSatellites: Bool, to client: Client,
        now: BootTime)
    /// Answers a call that waited for a sample.
    func answer(_ read: WaitingRead, _ outcome: WaitingRead.Outcome, of resource: OwnedResource, now: BootTime)

    // MARK: what happens to devices and resources

    /// A device has said something, which is acted on next.
    func willHear(_ event: DeviceEvent, of device: Device, now: BootTime)
    /// A resource is about to do otherwise: everybody must have been told how it has been doing.
    func willChangeState(of resource: OwnedResource, now: BootTime)
    /// A resource is doing otherwise.
    func didChangeState(of resource: OwnedResource, now: BootTime)
    /// What a resource's device can do, or how it runs, has changed; with the interval at which it runs, or not.
    func didChangeProfile(of resource: OwnedResource, hasNewInterval: Bool, now: BootTime)
    /// The device of a resource was opened: its samples count from 0 again.
    func didOpen(_ resource: OwnedResource, now: BootTime)
    /// A try to use the device of a resource failed.
    func didFail(_ resource: OwnedResource, reason: String, now: BootTime)
    /// A device is asked for something else.
    func didChangeDemand(of device: Device, now: BootTime)
    /// Somebody asks for a resource of a device that nobody asked for, or the other way round.
    func didChangeInterest(in device: Device)
}

extension Sink {
    /// Nothing is to be done before.
    public func willHear(_ event: DeviceEvent, of device: Device, now: BootTime) {}
}
