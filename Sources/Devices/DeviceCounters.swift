/// What a device has been through since its thread was started; for the status.
public struct DeviceCounters: Equatable, Sendable {
    /// Times it was opened.
    public var opens: UInt64 = 0
    /// Faults, each failed try included.
    public var faults: UInt64 = 0
    /// The latest of them.
    public var lastFault: DeviceFault?
    /// Samples it gave, all openings together; those of one scan, each of another kind, count as one.
    public var samples: UInt64 = 0
    /// Values that the device gave and that cannot be true, and so did not leave.
    public var refusedValues: UInt64 = 0
    /// Times a warm device was taken up again without being opened.
    public var reuses: UInt64 = 0
    /// Times a warm device was closed before its grace was over, because memory was short.
    public var evictions: UInt64 = 0

    /// All zero.
    public init() {}
}
