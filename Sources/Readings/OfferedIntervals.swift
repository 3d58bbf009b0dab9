/// The sample intervals at which a device can run, in nanoseconds.
public enum OfferedIntervals: Equatable, Sendable {
    /// These and no others; ascending (fastest first), positive, not empty.
    case discrete([Int64])
    /// Any from the shortest to the longest.
    case range(shortestNanoseconds: Int64, longestNanoseconds: Int64)
    /// The device sets its own pace, which is at best this short.
    case fixed(shortestNanoseconds: Int64)

    /// The shortest interval at which the device can run.
    public var shortestNanoseconds: Int64 {
        switch self {
        case .discrete(let intervals): intervals.first ?? 1
        case .range(let shortest, _), .fixed(let shortest): shortest
        }
    }
}
