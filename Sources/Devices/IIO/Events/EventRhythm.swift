internal import Readings

/// When a device that reports its changes is read: as soon as it reports one, and now and then anyway.
///
/// Not every driver keeps its thresholds as it should, and some lose them while the host sleeps. The reading now and then
/// bounds how late a change can be, and shows whether reports and values agree.
struct EventRhythm {
    /// From one reading to the next if nothing is reported.
    ///
    /// At the usual interval of light and proximity that is one reading in 25, and no user waits much longer for a
    /// screen to notice the light.
    static let restNanoseconds: Int64 = 5_000_000_000
    /// How many reports in a row may be wrong or missing.
    static let mostErrors = 5

    /// When to read next.
    private(set) var due: Int64
    /// Whether a change was reported since the last reading.
    private(set) var isReported = false
    private var errors = 0

    /// The device is read first at this time.
    init(due: Int64) { self.due = due }

    /// A change was reported; the device is not read more often than at the interval that is wanted.
    mutating func reported(at now: Int64, notBefore earliest: Int64) {
        isReported = true
        due = min(due, max(now, earliest))
        assert(due <= max(now, earliest))
    }

    /// The device was read; `hasChanged`: whether it should have reported a change, nil if it could not.
    ///
    /// Returns false if reports and values have disagreed too often.
    mutating func read(at now: Int64, hasChanged: Bool?) -> Bool {
        if let hasChanged {
            if hasChanged != isReported { errors += 1 } else if isReported { errors = 0 }
        }
        isReported = false
        due = now.addingSaturating(Self.restNanoseconds)
        assert(due >= now && errors >= 0)
        return errors < Self.mostErrors
    }
}
