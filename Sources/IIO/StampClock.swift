/// A clock of the kernel that stamps samples, by its name in `current_timestamp_clock`.
///
/// The others that the kernel offers (tai, monotonic_raw) cannot be told from the boot clock's time without guessing.
enum StampClock: Equatable {
    case boottime
    case monotonic
    case realtime

    /// Asked for in this order: the first needs no translation, the second stands still in suspend but never steps.
    static let wanted = ["boottime", "monotonic"]

    init?(name: String) {
        switch name {
        case "boottime": self = .boottime
        case "monotonic", "monotonic_coarse": self = .monotonic
        case "realtime", "realtime_coarse": self = .realtime
        default: return nil
        }
    }

    /// What turns its stamps into boot time, from the three clocks read at one moment; it changes when clocks step.
    func offset(bootNanoseconds: Int64, monotonicNanoseconds: Int64, realtimeNanoseconds: Int64) -> Int64 {
        switch self {
        case .boottime: 0
        case .monotonic: bootNanoseconds &- monotonicNanoseconds
        case .realtime: bootNanoseconds &- realtimeNanoseconds
        }
    }
}
