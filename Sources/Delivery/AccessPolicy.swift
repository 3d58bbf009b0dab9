public import Readings

/// Who may read what, and how fast: by groups, as the kernel told them when the client connected.
///
/// Until a policy is loaded nobody may read anything. Android's rule is behind the bound on the rate: motion sampled above
/// 200 Hz tells what is said in the room and typed on the table, so it is for those who were given it.
public struct AccessPolicy: Equatable, Sendable {
    /// The shortest interval for those who are not in a fast group, in nanoseconds: 200 Hz.
    public static let usualShortestNanoseconds: Int64 = 5_000_000

    /// Who may read the resources of a kind: members of one of these groups; a kind that is not here is for all.
    private let readers: [ResourceKind: Set<UInt32>]
    /// Who may read faster than is usual; nil: everyone.
    private let fastReaders: Set<UInt32>?
    private let isLoaded: Bool

    /// A policy; groups by their ids.
    public init(readers: [ResourceKind: Set<UInt32>], fastReaders: Set<UInt32>?) {
        self.init(readers: readers, fastReaders: fastReaders, isLoaded: true)
    }

    private init(readers: [ResourceKind: Set<UInt32>], fastReaders: Set<UInt32>?, isLoaded: Bool) {
        self.readers = readers
        self.fastReaders = fastReaders
        self.isLoaded = isLoaded
    }

    /// Nobody reads anything: what holds before a policy is loaded.
    public static let notLoaded = AccessPolicy(readers: [:], fastReaders: [], isLoaded: false)
    /// Whoever can connect reads everything, as fast as he likes.
    public static let everyone = AccessPolicy(readers: [:], fastReaders: nil)

    /// What members of these groups may do; root and the daemon's own user may do everything that is loaded.
    public func rights(groups: Set<UInt32>, isTrusted: Bool) -> Rights {
        guard isLoaded else { return .none }
        let kinds = ResourceKind.allCases.filter { kind in
            guard !isTrusted, let readers = readers[kind.guardian] else { return true }
            return !readers.isDisjoint(with: groups)
        }
        let isFast = isTrusted || fastReaders.map { !$0.isDisjoint(with: groups) } ?? true
        return Rights(kinds: Set(kinds), shortestNanoseconds: isFast ? 0 : Self.usualShortestNanoseconds)
    }
}

extension ResourceKind {
    /// The kind by whose groups this one is guarded: what is made out of another one tells of that.
    fileprivate var guardian: ResourceKind { self == .orientation ? .acceleration : self }
}
