public import Readings
public import Varlink

/// Who answers the calls that come through one listening socket.
///
/// Confined to the loop's thread, like all of this target.
public protocol CallHandler: AnyObject {
    /// A call came. It is answered at once, or the connection is made busy and answered later.
    func handle(_ call: Call, from connection: Connection, now: BootTime)

    /// The socket of a busy connection has room again after it was full.
    func didDrain(_ connection: Connection, now: BootTime)

    /// The connection is gone.
    func didClose(_ connection: Connection, now: BootTime)
}
