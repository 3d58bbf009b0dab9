/// How many faults a device has had, by kind.
public struct FaultCounts: Equatable, Sendable {
    // Not a dictionary: the counters are copied with each publication, and must not allocate.
    private var counts = InlineArray<5, UInt64>(repeating: 0)

    /// None.
    public init() {}

    /// How many were of a kind.
    public subscript(kind: DeviceFault.Kind) -> UInt64 {
        get { counts[Self.place(of: kind)] }
        set { counts[Self.place(of: kind)] = newValue }
    }

    /// Whether each kind has the same count.
    public static func == (one: Self, other: Self) -> Bool {
        DeviceFault.Kind.allCases.allSatisfy { one[$0] == other[$0] }
    }

    private static func place(of kind: DeviceFault.Kind) -> Int {
        switch kind {
        case .missing: 0
        case .denied: 1
        case .busy: 2
        case .lost: 3
        case .failed: 4
        }
    }
}
