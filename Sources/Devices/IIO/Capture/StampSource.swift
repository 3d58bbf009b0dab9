internal import Platform
internal import Readings

/// What the stamps of samples mean.
enum StampSource {
    /// There are none: only the time of arrival is known.
    case arrival
    case host(StampClock)
    /// A clock of another host, whose stamps give only the time between samples.
    case remote(RemoteClock)

    var hasStamps: Bool {
        if case .arrival = self { return false }
        return true
    }

    /// Turns the stamps of a burst into boot time; returns how far they moved because another clock is better known now.
    mutating func translate(_ stamps: inout [Int64], arrival: Int64) -> Int64 {
        switch self {
        case .arrival: return 0
        case .host(let clock):
            // Computed again for each burst: clocks step, and the monotonic one stands still while the host sleeps.
            let offset = clock.offset(
                boot: Clock.bootNanoseconds, monotonic: Clock.monotonicNanoseconds, realtime: Clock.realtimeNanoseconds)
            for index in stamps.indices { stamps[index] = stamps[index].addingSaturating(offset) }
            return 0
        case .remote(var clock):
            let moved = clock.translate(&stamps, arrival: arrival)
            self = .remote(clock)
            return moved
        }
    }
}

extension IIODevice {
    /// Asks for a clock that does not step; returns the clock that the device then uses, nil if it is of no use.
    func chooseStampClock() throws(SystemError) -> StampClock? {
        // Kernels without the attribute stamp with the wall clock.
        guard let attribute = IIOAttribute("current_timestamp_clock", of: .device(self)) else { return .realtime }
        for name in StampClock.wanted {
            do throws(SystemError) { try attribute.write(name) } catch {
                if error.endsContext { throw error }
            }
            if try attribute.readIfPossible() == name { break }
        }
        return try attribute.readIfPossible().flatMap(StampClock.init(name:))
    }
}

/// A kernel clock that stamps samples, by its name in `current_timestamp_clock`.
///
/// The kernel's other clocks (tai, monotonic_raw) cannot be converted to boot time without guessing.
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

    /// The offset from its stamps to boot time, from a look at the clocks; it changes when clocks step.
    func offset(boot: () -> Int64, monotonic: () -> Int64, realtime: () -> Int64) -> Int64 {
        switch self {
        case .boottime: 0
        case .monotonic: ClockPair.lead(of: boot, over: monotonic)
        case .realtime: ClockPair.lead(of: boot, over: realtime)
        }
    }
}
