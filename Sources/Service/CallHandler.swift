public import Readings
public import Varlink

/// Who answers the calls that come through one listening socket.
///
/// Confined to the loop's thread, like all of this target.
public protocol CallHandler: AnyObject {
    /// What is served here; calls about that, and calls that no interface declares, are answered from it.
    var information: ServiceInformation { get }

    /// By which door its clients come in.
    var door: Door { get }

    /// A call of one of the interfaces came: a whole reply is written, or the connection is made busy and answered later.
    ///
    /// What is written for a oneway call is dropped. A thrown error is the reply.
    func answer(
        _ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter
    ) throws(VarlinkError)

    /// The socket of a busy connection has room again after it was full.
    func didDrain(_ connection: Connection, now: BootTime)

    /// The client has taken nothing for long; the connection is closed right after this.
    func didGetStuck(_ connection: Connection, now: BootTime)

    /// The connection is gone.
    func didClose(_ connection: Connection, now: BootTime)
}

extension CallHandler {
    /// The one for all.
    public var door: Door { .clients }

    /// Nothing to say.
    public func didGetStuck(_ connection: Connection, now: BootTime) {}
}
