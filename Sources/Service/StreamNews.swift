internal import Delivery

/// News of resources that concern every stream, and that are brought to them over as many turns of the loop as it takes.
///
/// The broker has two of these: states that streams are to be told, and limits by which their grants are to be made anew. News
/// are kept once for all streams, the newest of each resource; each stream knows the number of the last one it has had. The
/// rounds go from stream to stream, and whoever is about to send a stream something else can ask what is new to it. Pure.
final class StreamNews {
    /// Something about a resource has changed.
    struct News: Equatable {
        let number: Int
        let resource: Int
        /// Whether the device's interval has changed, which grants tell.
        let withGrants: Bool
    }

    /// The number of the newest.
    private(set) var newest = 0
    private var news: [News] = [] {
        didSet { isPending = !news.isEmpty }
    }
    /// Who is still to be told in this round, and of what.
    private var untold: [ConnectionToken] = []
    private var roundOf = 0

    /// Whether some stream may not have been told.
    private(set) var isPending = false

    /// Whether some stream may not have been told what is new of a resource.
    func contains(_ resource: Int) -> Bool { news.contains { $0.resource == resource } }

    /// Something is new of a resource.
    func add(_ resource: Int, withGrants: Bool = false) {
        newest += 1
        let former = news.firstIndex { $0.resource == resource }.map { news.remove(at: $0) }
        news.append(
            News(number: newest, resource: resource, withGrants: withGrants || former?.withGrants ?? false))
    }

    /// What is new to one who was told up to a number.
    func since(_ number: Int) -> [News] { news.filter { $0.number > number } }

    /// Who is told next; nil: all have been.
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
