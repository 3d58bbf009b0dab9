/// A call that changes the stream: requests that it adds or replaces, and others that it removes.
struct Change: Equatable {
    var requests: [Tag: SensorRequest] = [:]
    var removed: Set<Tag> = []

    var isEmpty: Bool { requests.isEmpty && removed.isEmpty }
}
