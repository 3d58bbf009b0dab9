internal import Readings

/// How fast a device runs.
struct Pace: Equatable {
    /// Nanoseconds from sample to sample, as far as anybody knows: for sizes, spacing and waiting.
    let intervalNanoseconds: Int64
    /// The same as the device itself says it; nil where it does not.
    let reportedNanoseconds: Int64?

    /// For devices that set their own pace and do not say which.
    static let guessNanoseconds: Int64 = 10_000_000
    /// For devices that must be told a pace when nobody asks for one.
    static let unaskedNanoseconds: Int64 = 100_000_000

    /// What was set, and what the device made of it.
    init(wanted: SamplingRate?, reported: SamplingRate?) {
        reportedNanoseconds = reported?.intervalNanoseconds
        intervalNanoseconds = (reported ?? wanted)?.intervalNanoseconds ?? Self.guessNanoseconds
    }
}
