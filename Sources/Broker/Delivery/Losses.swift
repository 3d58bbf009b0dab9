public import Readings

/// How many readings a client lost, by cause.
///
/// Gaps without a count do not add to it.
public struct Losses: Equatable, Sendable {
    /// One element for each cause.
    ///
    /// Not an array, because every member of a lane has one and must not allocate.
    private var counts = InlineArray<6, Int>(repeating: 0)

    /// No losses.
    public init() {}

    /// How many were lost by a cause.
    public subscript(cause: Gap.Cause) -> Int {
        get { counts[Self.index(of: cause)] }
        set { counts[Self.index(of: cause)] = newValue }
    }

    /// How many were lost by any cause.
    public var total: Int { Gap.Cause.allCases.reduce(0) { $0.addingSaturating(self[$1]) } }

    mutating func add(_ gap: Gap) {
        guard let count = gap.count else { return }
        self[gap.cause] = self[gap.cause].addingSaturating(count)
    }

    mutating func add(_ other: Losses) {
        for cause in Gap.Cause.allCases { self[cause] = self[cause].addingSaturating(other[cause]) }
    }

    /// Whether each cause has the same count.
    public static func == (one: Losses, other: Losses) -> Bool {
        Gap.Cause.allCases.allSatisfy { one[$0] == other[$0] }
    }

    private static func index(of cause: Gap.Cause) -> Int {
        switch cause {
        case .slowClient: 0
        case .deviceOverflow: 1
        case .deviceLost: 2
        case .reconfigured: 3
        case .restarted: 4
        case .released: 5
        }
    }
}
