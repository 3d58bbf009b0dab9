public import Readings

/// The resources that an administrator has released, and until when: a list of orders, of which the latest that concerns a
/// resource counts.
///
/// So one resource can be taken back while the others of its kind stay released. A resource that turns up later is
/// released with its kind. A resource that was released for a time stays released afterwards if all were released before.
public struct Releases: Equatable, Sendable {
    /// One order of the administrator.
    public struct Word: Equatable, Sendable {
        /// The resources that it is about.
        public let scope: ResourceScope
        /// Whether these are given up, and not taken back.
        public let isRelease: Bool
        /// When it no longer counts; nil: it stays.
        public let until: BootTime?

        /// A word about some resources.
        public init(scope: ResourceScope, isRelease: Bool, until: BootTime?) {
            self.scope = scope
            self.isRelease = isRelease
            self.until = until
        }
    }

    /// What was said and still counts, in order.
    public private(set) var words: [Word] = []

    /// Nothing is released.
    public init() {}

    /// As was said in another process.
    public init(_ words: [Word]) { for word in words { say(word) } }

    /// These are given up; for a time, if an instant is given.
    public mutating func release(_ scope: ResourceScope, until: BootTime?) {
        say(Word(scope: scope, isRelease: true, until: until))
    }

    /// These are taken back.
    public mutating func reacquire(_ scope: ResourceScope) {
        say(Word(scope: scope, isRelease: false, until: nil))
        // Words that nothing is left to be said against.
        if let first = words.firstIndex(where: \.isRelease) { words.removeFirst(first) } else { words = [] }
    }

    /// Whether a resource is given up.
    public func contain(_ name: ResourceName, _ kind: Kind) -> Bool {
        words.last { $0.scope.contains(name, kind) }?.isRelease ?? false
    }

    /// When something is taken back by itself; nil: never.
    public var deadline: BootTime? { words.compactMap(\.until).min() }

    /// Forgets orders whose time is over.
    public mutating func expire(now: BootTime) { words.removeAll { $0.until.map { now >= $0 } ?? false } }

    /// An order replaces all earlier ones that it covers, so there are never more of them than scopes.
    private mutating func say(_ word: Word) {
        words.removeAll { word.scope.covers($0.scope) }
        words.append(word)
        assert(
            words.indices.allSatisfy { index in
                !words[index...].dropFirst().contains { $0.scope.covers(words[index].scope) }
            },
            "a word outlives a later one that covers it")
    }
}

/// Some of the resources: one, those of a kind, or all.
public enum ResourceScope: Equatable, Sendable {
    /// The one of that name.
    case resource(ResourceName)
    /// Those that measure this.
    case kind(Kind)
    /// Every one.
    case all

    /// Whether a resource is one of them.
    public func contains(_ name: ResourceName, _ kind: Kind) -> Bool {
        switch self {
        case .resource(let one): one == name
        case .kind(let those): those == kind
        case .all: true
        }
    }

    /// Whether it has all the other has, as far as names tell; a resource's name does not tell its kind.
    func covers(_ other: Self) -> Bool { self == .all || self == other }
}
