public import Readings

/// What members of groups may read, and how fast; the kernel reports a client's groups when it connects.
///
/// Until a policy is loaded, nobody may read anything. The rate limit is Android's rule: motion sampled above 200 Hz
/// reveals what is said in the room and typed on the table, so only members of the fast groups get it.
public enum AccessPolicy: Equatable, Sendable {
    /// Nobody may read anything: the state before a policy is loaded.
    case notLoaded
    /// The groups, by their ids, that may read a kind, and those that may read faster than the usual limit.
    ///
    /// For a kind without groups, its row decides.
    case groups(readers: [Kind: Set<UInt32>], fastReaders: Set<UInt32>)
    /// Everyone who can connect may read everything, at any rate.
    case everyone

    /// The shortest interval for users in no fast group: 200 Hz.
    public static let usualShortestNanoseconds: Int64 = 5_000_000

    /// The rights of a member of these groups; root and the daemon's own user may read everything once a policy is
    /// loaded.
    ///
    /// `access` gives the default for a kind without groups; tests replace it.
    package func rights(
        groups: Set<UInt32>, isTrusted: Bool, access: (Kind) -> KindRow.Access = { $0.row.access }
    ) -> Rights {
        guard case .groups(let readers, let fastReaders) = self, !isTrusted else {
            return self == .notLoaded ? .none : Rights(kinds: Set(Kind.all), shortestNanoseconds: 0)
        }
        func mayRead(_ kind: Kind) -> Bool {
            if let readers = readers[kind] { return !readers.isDisjoint(with: groups) }
            return switch access(kind) {
            case .closed, .desktop: false
            case .everyone: true
            // A kind that reveals others is protected like each of them.
            case .like(let others): others.allSatisfy(mayRead)
            }
        }
        return Rights(
            kinds: Set(Kind.all.filter(mayRead)),
            shortestNanoseconds: fastReaders.isDisjoint(with: groups) ? Self.usualShortestNanoseconds : 0)
    }
}

/// What one client may read.
public struct Rights: Equatable, Sendable {
    /// The kinds that the client may read.
    public let kinds: Set<Kind>
    /// The shortest interval at which the client may read; 0: as fast as the device can.
    public let shortestNanoseconds: Int64

    /// Rights to these kinds, at no shorter interval than this.
    public init(kinds: Set<Kind>, shortestNanoseconds: Int64) {
        self.kinds = kinds
        self.shortestNanoseconds = shortestNanoseconds
    }

    /// No rights at all.
    public static let none = Rights(kinds: [], shortestNanoseconds: 0)

    /// Whether resources of a kind may be read.
    public func mayRead(_ kind: Kind) -> Bool { kinds.contains(kind) }
}
