/// What became of a try to talk to a gpsd.
enum GpsdView: Equatable {
    /// It has so many receivers.
    case receivers(Int)
    /// It could not be connected to.
    case unreachable(Silence)
    /// Somebody else does.
    case stranger
}
