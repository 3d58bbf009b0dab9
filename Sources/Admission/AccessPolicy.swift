public import Readings

/// What members of groups may read, and how fast; the kernel tells a client's groups when it connects.
///
/// Until a policy is loaded nobody may read anything. The bound on the rate is Android's rule: motion sampled above
/// 200 Hz reveals what is said in the room and typed on the table, so only members of the fast groups get it.
public struct AccessPolicy: Equatable, Sendable {
    /// The shortest interval for users in no fast group, in nanoseconds: 200 Hz.
    public static let usualShortestNanoseconds: Int64 = 5_000_000

    /// The groups that may read a kind; for a kind that is not here its row decides.
    private let readers: [Kind: Set<UInt32>]
    /// The groups that may read faster than is usual; nil: everyone may.
    private let fastReaders: Set<UInt32>?
    private let scope: Scope

    private enum Scope {
        /// No policy is loaded.
        case nothing
        /// What the groups, and the rows of the kinds, say.
        case groups
        case everything
    }

    /// A policy; groups by their ids.
    public init(readers: [Kind: Set<UInt32>], fastReaders: Set<UInt32>?) {
        self.init(readers: readers, fastReaders: fastReaders, .groups)
    }

    private init(readers: [Kind: Set<UInt32>], fastReaders: Set<UInt32>?, _ scope: Scope) {
        self.readers = readers
        self.fastReaders = fastReaders
        self.scope = scope
    }

    /// Nobody reads anything: the state before a policy is loaded.
    public static let notLoaded = AccessPolicy(readers: [:], fastReaders: [], .nothing)
    /// Everyone who can connect reads everything, at any rate.
    public static let everyone = AccessPolicy(readers: [:], fastReaders: nil, .everything)

    /// The rights of a member of these groups; root and the daemon's own user may read everything once a policy is loaded.
    ///
    /// `access` gives the default of a kind without groups; tests replace it.
    public func rights(
        groups: Set<UInt32>, isTrusted: Bool, access: (Kind) -> KindRow.Access = { $0.row.access }
    ) -> Rights {
        func mayRead(_ kind: Kind) -> Bool {
            if let readers = readers[kind] { return !readers.isDisjoint(with: groups) }
            return switch access(kind) {
            case .closed: false
            case .everyone: true
            // A kind that reveals another one is guarded like it.
            case .like(let other): mayRead(other)
            }
        }
        guard scope != .nothing else { return .none }
        let kinds = Kind.all.filter { isTrusted || scope == .everything || mayRead($0) }
        let isFast = isTrusted || fastReaders.map { !$0.isDisjoint(with: groups) } ?? true
        return Rights(kinds: Set(kinds), shortestNanoseconds: isFast ? 0 : Self.usualShortestNanoseconds)
    }
}

/// What one client may read.
public struct Rights: Equatable, Sendable {
    /// The kinds of resources.
    public let kinds: Set<Kind>
    /// No reading comes faster than this; 0: as fast as the device can.
    public let shortestNanoseconds: Int64

    /// Rights to some kinds at no shorter an interval than this.
    public init(kinds: Set<Kind>, shortestNanoseconds: Int64) {
        self.kinds = kinds
        self.shortestNanoseconds = shortestNanoseconds
    }

    /// Nothing at all.
    public static let none = Rights(kinds: [], shortestNanoseconds: 0)

    /// Whether resources of a kind may be read.
    public func mayRead(_ kind: Kind) -> Bool { kinds.contains(kind) }
}
