internal import Delivery

/// News of resources that concern every stream, and that are sent over as many turns of the loop as it takes.
///
/// The broker has two of these: states to announce to streams, and limits by which their grants must be made again.
/// News are kept once for all streams, the newest of each resource; each stream knows the number of the last one that
/// it has received. A round goes from stream to stream, and a caller that is about to send something else to a stream
/// can ask for its news. Pure.
final class StreamNews {
    /// Something about a resource has changed.
    struct News: Equatable {
        let number: Int
        let resource: ResourceIndex
        /// Whether the device's interval has changed, which grants show.
        let withGrants: Bool
    }

    /// The number of the newest one.
    private(set) var newest = 0
    private var news: [News] = [] {
        didSet { isPending = !news.isEmpty }
    }
    /// The streams still to be informed in this round.
    private var untold: [ConnectionToken] = []
    private var roundOf = 0

    /// Whether some stream may not have been informed.
    private(set) var isPending = false

    /// Whether some stream may not have been informed of a change of a resource.
    func contains(_ resource: ResourceIndex) -> Bool { news.contains { $0.resource == resource } }

    /// Adds news of a resource.
    func add(_ resource: ResourceIndex, withGrants: Bool = false) {
        newest += 1
        let former = news.firstIndex { $0.resource == resource }.map { news.remove(at: $0) }
        news.append(
            News(number: newest, resource: resource, withGrants: withGrants || former?.withGrants ?? false))
    }

    /// The news after the last number that a stream has received.
    func since(_ number: Int) -> [News] { news.filter { $0.number > number } }

    /// The stream to inform next; nil: all have been.
    func next(_ streams: @autoclosure () -> [ConnectionToken]) -> ConnectionToken? {
        if let next = untold.popLast() { return next }
        news.removeAll { $0.number <= roundOf }
        guard !news.isEmpty else { return nil }
        roundOf = newest
        untold = streams()
        if untold.isEmpty { news = [] }
        return untold.popLast()
    }
}
