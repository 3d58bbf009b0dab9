internal import Readings

/// Finds lost samples from the stamps of those that arrived: nothing else shows that a buffer overflowed.
///
/// A jump of more than one and a half periods is a loss, unless a short step follows it: then a stamp was late and no
/// sample was lost. If the next stamp has not arrived yet, the sample is not held back: the verdict waits, and its gap
/// comes one sample late. The period is the chip's claimed period or the median of the last steps, whichever is longer,
/// since chips' claims can be wrong: a steady pace is never a loss, whatever it is. After opening, nothing is reported
/// until some steps have been seen. After a change of rate, losses in the first steps are reported once those steps
/// have been seen, without a count: chips differ in what they do with the sample in progress.
struct OverflowDetector {
    /// A jump that may be a loss.
    private struct Jump {
        let from: Int64
        let to: Int64
        /// The time between them on the device's own clock.
        let step: Int64
        /// The step that was expected.
        let expected: Int64
    }

    private var period: Int64
    private var last: Int64?
    /// How much further than the last one the next stamps are because the device's clock is better known.
    private var moved: Int64 = 0
    private var suspicion: Jump?
    /// A change of pace of which no sample has arrived yet.
    private var change: RateChange?
    /// The steps since a change of pace, starting at the last sample before it, until they are judged.
    private var firstSteps: [Jump]?
    /// Gaps that were found and not returned yet.
    private var found: [Gap] = []
    private var steps: [Int64] = []
    private var nextStep = 0

    private static let stepsBeforeVerdicts = 4
    private static let stepsKept = 8

    init(periodNanoseconds: Int64) {
        period = max(periodNanoseconds, 1)
        steps.reserveCapacity(Self.stepsKept)
    }

    /// Takes up another pace at the first sample younger than the change; older ones may still lie in the buffer.
    mutating func restart(periodNanoseconds: Int64, at now: Int64) {
        change = RateChange(at: change?.at ?? now, periodNanoseconds: max(periodNanoseconds, 1))
    }

    /// The next stamps are so much further because the device's clock is better known: no part of a step between samples.
    mutating func move(by nanoseconds: Int64) { moved = moved.addingSaturating(nanoseconds) }

    /// The next stamp does not follow the last one: the sequence of believable stamps was broken.
    mutating func forget() {
        if let change { period = change.periodNanoseconds }
        last = nil
        moved = 0
        change = nil
        learn()
    }

    private mutating func learn() {
        suspicion = nil
        firstSteps = nil
        steps.removeAll(keepingCapacity: true)
        nextStep = 0
    }

    /// The gaps in a burst, each with the index of the sample that it precedes; stamps must increase.
    mutating func gaps(in stamps: [Int64]) -> [(index: Int, gap: Gap)] {
        assert(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 }, "only repaired stamps come here")
        assert(period > 0)
        var gaps: [(index: Int, gap: Gap)] = []
        var index = 0
        while index < stamps.count {
            let quiet = passQuiet(stamps, from: index)
            index += quiet
            guard quiet == 0 else { continue }
            let next = index + 1 < stamps.count ? stamps[index + 1] : nil
            if let gap = gap(before: stamps[index], next: next) { gaps.append((index, gap)) }
            index += 1
        }
        return gaps
    }

    /// Takes the stamps from an index on at which nothing can be missing, which is nearly all of a fast device; returns how many.
    private mutating func passQuiet(_ stamps: [Int64], from start: Int) -> Int {
        guard isQuiet, let last else { return 0 }
        var newest = last
        var end = start
        let span = stamps.span
        let longest = period.addingSaturating(period / 2)
        while end < span.count, span[end].subtractingSaturating(newest) <= longest {
            newest = span[end]
            end += 1
        }
        assert((start...stamps.count).contains(end))
        // Of the steps, only the last ones are kept.
        let first = max(start, end - Self.stepsKept)
        var previous = first == start ? last : stamps[first - 1]
        for stamp in stamps[first..<end] {
            remember(from: previous, to: stamp)
            previous = stamp
        }
        self.last = newest
        return end - start
    }

    /// The gap before the sample with this stamp, if there is one; stamps must increase.
    ///
    /// `next` is the stamp after it, if it has arrived. Gaps are returned one at a time: a second one waits for the
    /// next call.
    mutating func gap(before stamp: Int64, next: Int64?) -> Gap? {
        if let last { find(from: last, to: stamp, next: next) }
        last = stamp
        moved = 0
        return found.isEmpty ? nil : found.removeFirst()
    }

    /// Whether nothing is suspected, changing, or waiting to be returned.
    private var isQuiet: Bool { suspicion == nil && change == nil && firstSteps == nil && found.isEmpty && moved == 0 }

    private mutating func find(from last: Int64, to stamp: Int64, next: Int64?) {
        let step = step(from: last, to: stamp)
        if let waiting = suspicion.flatMap({ Self.gap($0, following: step) }) { found.append(waiting) }
        suspicion = nil
        if let change, stamp > change.at {
            if change.mayHaveCost(from: last, to: stamp, before: period) { reportReconfigured(from: last, to: stamp) }
            self.change = nil
            period = change.periodNanoseconds
            learn()
            firstSteps = []
            return
        }
        let jump = jump(from: last, to: stamp)
        remember(from: last, to: stamp)
        if let jump, let next {
            if let gap = Self.gap(jump, following: next.subtractingSaturating(stamp)) { found.append(gap) }
        } else {
            suspicion = jump
        }
    }

    private mutating func reportReconfigured(from last: Int64, to stamp: Int64) {
        let from = BootTime(nanoseconds: last) + 1
        let until = max(from, BootTime(nanoseconds: stamp) + -1)
        assert(from <= until)
        found.append(Gap(cause: .reconfigured, count: nil, from: from, until: until))
    }

    private func jump(from last: Int64, to stamp: Int64) -> Jump? {
        let step = step(from: last, to: stamp)
        // The median costs a sort, so it is computed only for a step that looks like a loss.
        guard step.isJump(over: period), steps.count >= Self.stepsBeforeVerdicts else { return nil }
        let expected = usualStep
        return step.isJump(over: expected) ? Jump(from: last, to: stamp, step: step, expected: expected) : nil
    }

    private func step(from last: Int64, to stamp: Int64) -> Int64 {
        stamp.subtractingSaturating(last).subtractingSaturating(moved)
    }

    private var usualStep: Int64 { max(period, steps.sorted()[steps.count / 2]) }

    /// The gap that a jump is, judged by the step that follows it.
    private static func gap(_ jump: Jump, following: Int64) -> Gap? {
        assert(jump.expected > 0)
        let following = min(following, jump.expected)
        guard following >= jump.expected / 2 else { return nil }
        let steps = (Double(jump.step) + Double(following)) / Double(jump.expected)
        let lost = Int(clamping: steps.rounded().clamped(to: 2...1e15)) - 2
        guard lost > 0 else { return nil }
        // The step may be longer than the stamps show, and a gap is before the sample that follows it.
        let from = BootTime(nanoseconds: min(jump.from.addingSaturating(jump.expected), jump.to - 1))
        let until = max(from, BootTime(nanoseconds: jump.to) + -jump.expected)
        return Gap(cause: .deviceOverflow, count: lost, from: from, until: until)
    }

    private mutating func remember(from last: Int64, to stamp: Int64) {
        let step = step(from: last, to: stamp)
        if steps.count < Self.stepsKept {
            steps.append(step)
        } else {
            steps[nextStep] = step
            nextStep = (nextStep + 1) % Self.stepsKept
        }
        assert(steps.count <= Self.stepsKept && (0..<Self.stepsKept).contains(nextStep))
        guard firstSteps != nil else { return }
        firstSteps?.append(Jump(from: last, to: stamp, step: step, expected: period))
        if steps.count == Self.stepsBeforeVerdicts { judgeFirstSteps() }
    }

    private mutating func judgeFirstSteps() {
        let usual = usualStep
        for first in firstSteps ?? [] where first.step.isJump(over: usual) {
            reportReconfigured(from: first.from, to: first.to)
        }
        firstSteps = nil
    }
}

/// A change of a device's pace while samples flow.
struct RateChange {
    /// When the change was requested, on the clock of the stamps.
    let at: Int64
    let periodNanoseconds: Int64

    /// Whether samples may have been lost between the last stamp before the change and the first one after it.
    ///
    /// The number is unknown: some chips begin a new sample at once, others finish the one in progress. So it reports a
    /// first step longer than a new period, unless it is just one old period, and samples missing at the old pace.
    func mayHaveCost(from last: Int64, to first: Int64, before oldPeriod: Int64) -> Bool {
        let isFinished =
            first.subtractingSaturating(last).subtractingSaturating(oldPeriod).magnitude <= oldPeriod.magnitude / 50
        return !isFinished
            && (first.subtractingSaturating(max(last, at)).isJump(over: periodNanoseconds)
                || at.subtractingSaturating(last).isJump(over: oldPeriod))
    }
}

extension Int64 {
    /// Whether a step is longer than a period by more than stamps jitter.
    func isJump(over expected: Int64) -> Bool { subtractingSaturating(expected) > expected / 2 }
}
