internal import Delivery

/// Changes of resources that concern every stream, and that reach the streams over as many turns of the loop as it takes.
///
/// The broker has two of these: states to announce to streams, and limits by which their grants must be made again.
/// Changes are kept once for all streams, the newest of each resource; each stream knows the number of the last one that
/// it has received. A round goes from stream to stream, and a caller that is about to send something else to a stream
/// can ask for its changes. Pure.
final class ResourceChanges {
    /// Something about a resource has changed.
    struct Change: Equatable {
        let number: Int
        let resource: ResourceIndex
        /// Whether the device's interval has changed, which grants show.
        let withGrants: Bool
    }

    private(set) var newest = 0
    private var changes: [Change] = [] {
        didSet { isPending = !changes.isEmpty }
    }
    /// The streams that this round has not reached.
    private var remaining: [ConnectionToken] = []
    private var roundOf = 0

    /// Whether some stream may not have received all of them.
    private(set) var isPending = false

    /// Whether some stream may not have received a change of a resource.
    func contains(_ resource: ResourceIndex) -> Bool { changes.contains { $0.resource == resource } }

    func add(_ resource: ResourceIndex, withGrants: Bool = false) {
        newest += 1
        let former = changes.firstIndex { $0.resource == resource }.map { changes.remove(at: $0) }
        changes.append(
            Change(number: newest, resource: resource, withGrants: withGrants || former?.withGrants ?? false))
    }

    /// The changes after the last number that a stream has received.
    func since(_ number: Int) -> [Change] { changes.filter { $0.number > number } }

    /// The next stream of the round; nil: all have received all changes.
    func next(_ streams: @autoclosure () -> [ConnectionToken]) -> ConnectionToken? {
        if let next = remaining.popLast() { return next }
        changes.removeAll { $0.number <= roundOf }
        guard !changes.isEmpty else { return nil }
        roundOf = newest
        remaining = streams()
        if remaining.isEmpty { changes = [] }
        return remaining.popLast()
    }
}
