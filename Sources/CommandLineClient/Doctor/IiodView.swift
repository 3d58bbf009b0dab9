/// What became of a try to talk to an iiod.
enum IiodView: Equatable {
    /// It told its version.
    case answers
    /// It could not be connected to.
    case unreachable(Silence)
    /// Somebody else listens.
    case stranger
}
