public import Readings

/// Which resources programs may provide, and who.
///
/// What is not named may not be provided: a program that is a sensor decides what others take for true.
public struct FeedPolicy: Equatable, Sendable {
    /// What may be provided under a name.
    public struct Rule: Equatable, Sendable {
        /// What is measured.
        public let kind: Kind
        /// Who may provide it besides root and the daemon's own user.
        public let userIDs: Set<UInt32>
        /// Whose members may.
        public let groupIDs: Set<UInt32>
        /// How many samples a second are taken.
        public let samplesPerSecond: Int
        /// Whether it takes the name from a sensor of the host.
        public let isPreferred: Bool

        /// What may be provided, by whom and how fast.
        public init(
            _ kind: Kind, userIDs: Set<UInt32>, groupIDs: Set<UInt32>, samplesPerSecond: Int, isPreferred: Bool
        ) {
            self.kind = kind
            self.userIDs = userIDs
            self.groupIDs = groupIDs
            self.samplesPerSecond = samplesPerSecond
            self.isPreferred = isPreferred
        }
    }

    private let rules: [ResourceName: Rule]
    /// How many samples a second are taken of what has no rule; nil: none may be provided.
    private let otherSamplesPerSecond: Int?

    /// The rules by the names of resources.
    public init(_ rules: [ResourceName: Rule]) { self.init(rules, otherSamplesPerSecond: nil) }

    private init(_ rules: [ResourceName: Rule], otherSamplesPerSecond: Int?) {
        self.rules = rules
        self.otherSamplesPerSecond = otherSamplesPerSecond
    }

    /// Nothing may be provided.
    public static let nothing = FeedPolicy([:])

    /// What has the name of a kind may be provided by the user of the process: for a broker within a program.
    public static let ownUser = FeedPolicy([:], otherSamplesPerSecond: 1_000_000)

    var all: [(name: ResourceName, rule: Rule)] {
        rules.sorted { $0.key.description < $1.key.description }.map { (name: $0.key, rule: $0.value) }
    }

    subscript(name: ResourceName) -> Rule? {
        if let rule = rules[name] { return rule }
        guard let otherSamplesPerSecond, let kind = Kind(provided: name) else { return nil }
        return Rule(
            kind, userIDs: [], groupIDs: [], samplesPerSecond: otherSamplesPerSecond, isPreferred: false)
    }
}

extension Kind {
    /// Whether programs can provide it; an orientation is not measured, it follows from an acceleration.
    public var isProvidable: Bool { row.form != .orientation }

    /// What a program can provide under a name; nil: nothing.
    public init?(provided name: ResourceName) {
        guard let kind = Kind(resource: name.word), kind.isProvidable else { return nil }
        self = kind
    }
}
