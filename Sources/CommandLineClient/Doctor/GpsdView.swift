/// What became of a try to talk to a gpsd.
enum GpsdView: Equatable {
    /// It has so many receivers.
    case receivers(Int)
    /// Nobody listens, in words.
    case unreachable(String)
    /// Somebody else does.
    case stranger
}
