internal import Formats
internal import Platform
internal import Readings

/// A measurement with its time, ready to be sent.
struct FedSample: Equatable {
    /// CLOCK_BOOTTIME.
    let timestampNanoseconds: Int64
    let measurement: Measurement
}

/// When the samples of lines were measured: as the lines have it, or when they were read.
///
/// Of lines that were read at once, only the last one has just been measured. Those before it are a nominal interval apart, or spread over
/// the time since the last read: a program that writes to a pipe often holds back some of its lines. They are stamped here rather
/// than by the broker, since the time on the way to it varies.
struct FeedStamps {
    /// The nominal interval; nil if it is unknown.
    let stepNanoseconds: Int64?
    private var newest = Int64.min
    /// When lines were read the last time.
    private var readNanoseconds: Int64?
    /// Whether times were seen that mean nothing here.
    private(set) var hasForeignTimes = false

    /// Lines are not spread further, since there may just have been none.
    private static let longestStepNanoseconds: Int64 = 100_000_000
    /// How far the clock of a sender may be ahead before its times are wrong.
    private static let toleranceNanoseconds: Int64 = 1_000_000_000
    /// An older fix comes from a receiver whose clock is not this host's.
    private static let longestFixNanoseconds: Int64 = 60_000_000_000

    init(stepNanoseconds: Int64?) { self.stepNanoseconds = stepNanoseconds }

    /// Lines were read that nobody wants.
    mutating func pass(_ now: ClockPair) { readNanoseconds = now.bootNanoseconds }

    /// Stamps samples that were read at once; for each of them its stamp, or what is wrong with its time.
    mutating func stamp(_ samples: [LineSample], _ now: ClockPair) -> [Result<FedSample, FormatError>] {
        let given = samples.map { givenStamp(of: $0, now) }
        var left = given.count { $0 == nil }
        let step = step(left, now)
        defer { pass(now) }
        return zip(samples, given).map { sample, given in
            if given == nil { left -= 1 }
            let stamp = given ?? max(now.bootNanoseconds - Int64(left) * step, newest == .min ? 0 : newest + 1)
            if let words = fault(stamp, now) { return .failure(FormatError(words)) }
            newest = stamp
            return .success(FedSample(timestampNanoseconds: stamp, measurement: sample.measurement))
        }
    }

    /// The stamp that follows from a line alone; nil: it was measured when it was read.
    private mutating func givenStamp(of sample: LineSample, _ now: ClockPair) -> Int64? {
        switch sample.time {
        case nil: return nil
        case .foreign:
            hasForeignTimes = true
            return nil
        case .boot(let stamp): return stamp
        case .utc(let microseconds):
            let (age, isAbsurd) = (now.utcNanoseconds / 1_000).subtractingReportingOverflow(microseconds)
            guard !isAbsurd, age.magnitude < UInt64(Int64.max / 2_000) else { return .max }
            let isAhead = age < 0 && -age * 1_000 < Self.toleranceNanoseconds
            if isAhead { return nil }
            // The time of a fix is the receiver's, and stays in the location.
            if case .location = sample.measurement, age < 0 || age * 1_000 > Self.longestFixNanoseconds {
                hasForeignTimes = true
                return nil
            }
            return now.bootNanoseconds - age * 1_000
        }
    }

    private func step(_ count: Int, _ now: ClockPair) -> Int64 {
        guard count > 0 else { return 0 }
        let room = max(0, now.bootNanoseconds - (readNanoseconds ?? now.bootNanoseconds)) / Int64(count)
        return max(1, min(room, stepNanoseconds ?? Self.longestStepNanoseconds))
    }

    /// Why a stamp cannot be true; nil if it can.
    private func fault(_ stamp: Int64, _ now: ClockPair) -> String? {
        if stamp < 0 { return "it was measured before this host started" }
        if stamp > now.bootNanoseconds { return "its time is in the future of this host" }
        return stamp <= newest ? "its time is not later than that of the sample before" : nil
    }
}
