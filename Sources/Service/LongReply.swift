internal import Readings
internal import Varlink

/// A reply that is too long for one turn of the loop: it is written in portions, each when its caller's turn comes and its
/// socket has room.
protocol LongReply: AnyObject {
    /// Writes the next portion; returns whether it was the last.
    func writePortion(into writer: inout JSONWriter, now: BootTime) -> Bool
}
