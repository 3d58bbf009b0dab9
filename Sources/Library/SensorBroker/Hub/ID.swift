/// Names one thing of a session; names of different kinds of things cannot be confused.
///
/// Names are given in order, so a smaller one is older.
struct ID<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
    let number: Int

    static func < (one: Self, other: Self) -> Bool { one.number < other.number }

    var description: String { "\(number)" }
}

/// Gives names to things of a session.
struct IDs {
    private var last = 0

    /// A name that has not been given yet.
    mutating func next<Kind>() -> ID<Kind> {
        last += 1
        return ID(number: last)
    }
}

/// What has a name in a session.
enum Named {
    enum Listener {}
    enum Channel {}
    enum Connection {}
    enum Reader {}
    enum Lister {}
    enum Follower {}
    enum Check {}
    enum Feed {}
}

typealias ListenerID = ID<Named.Listener>
typealias ChannelID = ID<Named.Channel>
typealias ConnectionID = ID<Named.Connection>
/// One who waits for a reading.
typealias ReaderID = ID<Named.Reader>
/// One who waits for the list of resources.
typealias ListerID = ID<Named.Lister>
/// One who follows lifecycle events.
typealias FollowerID = ID<Named.Follower>
/// What is checked once a second.
typealias CheckID = ID<Named.Check>
/// What a program provides.
typealias FeedID = ID<Named.Feed>
