/// Counters of a device's life since its thread was started; for the status.
public struct DeviceCounters: Equatable, Sendable {
    /// How many times it was opened.
    public var opens: UInt64 = 0
    /// Faults, including each failed retry.
    public var faults: UInt64 = 0
    /// The same by kind.
    public var faultsByKind = FaultCounts()
    /// The latest fault.
    public var lastFault: DeviceFault?
    /// Samples of all openings together; those of one scan, each of another kind, count as one.
    public var samples: UInt64 = 0
    /// Values from the device that cannot be true and so were dropped.
    public var refusedValues: UInt64 = 0
    /// How many times a device that was still open was used again without being opened.
    public var reuses: UInt64 = 0
    /// How many times such a device was closed before its grace period was over, because memory was short.
    public var evictions: UInt64 = 0

    /// All zero.
    public init() {}

    /// These counts and others together; wraps around as `without` does.
    public func adding(_ other: Self) -> Self { combined(with: other, &+) }

    /// By how much these counts are above others; a smaller one wraps around.
    public func without(_ other: Self) -> Self { combined(with: other, &-) }

    private func combined(with other: Self, _ combine: (UInt64, UInt64) -> UInt64) -> Self {
        var result = self
        for count in [\Self.opens, \.faults, \.samples, \.refusedValues, \.reuses, \.evictions] {
            result[keyPath: count] = combine(self[keyPath: count], other[keyPath: count])
        }
        for kind in DeviceFault.Kind.allCases {
            result.faultsByKind[kind] = combine(faultsByKind[kind], other.faultsByKind[kind])
        }
        return result
    }
}

/// How many faults a device has had, by kind.
public struct FaultCounts: Equatable, Sendable {
    // Not a dictionary: the counters are copied with each publication, and must not allocate.
    private var counts = InlineArray<5, UInt64>(repeating: 0)

    /// None.
    public init() {}

    /// How many were of a kind.
    public subscript(kind: DeviceFault.Kind) -> UInt64 {
        get { counts[Self.index(of: kind)] }
        set { counts[Self.index(of: kind)] = newValue }
    }

    /// Whether each kind has the same count.
    public static func == (one: Self, other: Self) -> Bool {
        DeviceFault.Kind.allCases.allSatisfy { one[$0] == other[$0] }
    }

    private static func index(of kind: DeviceFault.Kind) -> Int { DeviceFault.Kind.allCases.firstIndex(of: kind) ?? 0 }
}
