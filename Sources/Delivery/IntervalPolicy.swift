/// What an administrator wants granted of a kind of resource, where that is other than what the devices suggest.
public struct IntervalPolicy: Equatable, Sendable {
    /// No reading comes faster than this; nil: as fast as the device can.
    public var minimumNanoseconds: Int64?
    /// What is granted where a request names no interval; nil: what is usual for the kind.
    public var defaultNanoseconds: Int64?

    /// A policy; nil leaves things as they are.
    public init(minimumNanoseconds: Int64? = nil, defaultNanoseconds: Int64? = nil) {
        self.minimumNanoseconds = minimumNanoseconds
        self.defaultNanoseconds = defaultNanoseconds
    }
}
