/// What a listener is told.
enum Told: Equatable, Sendable {
    case measured(Measured)
    case gap(Gap)
    case state(ResourceState)
    case grant(Grant)
    case disconnected(SensorError)
}
