internal import Delivery

/// What streams are to be told of resources: by many turns of the loop where there are many of them.
///
/// News are kept once for all streams, the newest of each resource; each stream knows up to which number it has been told.
/// Streams are gone through one after the other, and those that have something else to be told first hear what is new, so
/// that nobody gets a reading before the state in which it was measured. Pure.
struct Announcements {
    /// A resource is doing otherwise.
    struct News: Equatable {
        let number: Int
        let resource: Int
        /// Its device's interval is another one, and grants say so.
        let withGrants: Bool
    }

    /// The number of the newest.
    private(set) var newest = 0
    private var news: [News] = []
    /// Who is still to be told in this round, and of what.
    private var untold: [ConnectionToken] = []
    private var roundOf = 0

    /// Whether some stream may not have been told.
    var isPending: Bool { !news.isEmpty }

    /// Whether some stream may not have been told what is new of a resource.
    func contains(_ resource: Int) -> Bool { news.contains { $0.resource == resource } }

    /// Something is new of a resource.
    mutating func add(_ resource: Int, withGrants: Bool) {
        newest += 1
        let former = news.firstIndex { $0.resource == resource }.map { news.remove(at: $0) }
        news.append(
            News(number: newest, resource: resource, withGrants: withGrants || former?.withGrants ?? false))
    }

    /// What is new to one who was told up to a number.
    func since(_ number: Int) -> [News] { news.filter { $0.number > number } }

    /// Who is told next; nil: all have been.
    mutating func next(_ streams: @autoclosure () -> [ConnectionToken]) -> ConnectionToken? {
        if let next = untold.popLast() { return next }
        news.removeAll { $0.number <= roundOf }
        guard !news.isEmpty else { return nil }
        roundOf = newest
        untold = streams()
        if untold.isEmpty { news = [] }
        return untold.popLast()
    }
}
