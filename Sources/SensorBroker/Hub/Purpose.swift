/// What a connection is for: each carries one call.
enum Purpose: Equatable {
    /// A stream, by its number.
    case stream(Int)
    /// A change of a stream to these requests.
    case change(Int, [ResourceName: SensorRequest])
    /// One reading of a resource.
    case read(ResourceName)
    /// The list of resources, for somebody who waits for it.
    case list(Int)
    /// The list of resources, again after each change.
    case watch
}
