internal import SensorValues

/// The times of one sensor's samples: what lies between two of them, in seconds.
struct SampleClock {
    private var newest: Int64?

    /// Whether there has been none.
    var isEmpty: Bool { newest == nil }

    /// How much later a sample is than the one before, 0 for the first one; nil if it is not later.
    mutating func advance(to time: BootTime) -> Double? {
        guard let newest else {
            newest = time.nanoseconds
            return 0
        }
        guard time.nanoseconds > newest else { return nil }
        self.newest = time.nanoseconds
        return Self.seconds(from: newest, to: time.nanoseconds)
    }

    /// By how much a time is later than the newest sample; nil before the first one.
    func seconds(until time: BootTime) -> Double? { newest.map { Self.seconds(from: $0, to: time.nanoseconds) } }

    /// Ages, if no number can hold it.
    private static func seconds(from start: Int64, to end: Int64) -> Double {
        let (nanoseconds, isBeyond) = end.subtractingReportingOverflow(start)
        return isBeyond ? (end < start ? -1e9 : 1e9) : Double(nanoseconds) * 1e-9
    }
}
