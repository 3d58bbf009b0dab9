internal import Readings

/// Finds samples that never came, from the stamps of those that did: nothing else tells that a buffer ran over.
///
/// A jump of more than one and a half periods is a loss, unless a short step follows: then a stamp was late and no sample
/// lost. Where the next stamp is not there yet, the sample is not held back for it: the verdict waits, and its gap comes
/// one sample late. The period is the longer of what the chip claims and of the median of the last steps, since chips
/// claim wrongly: a steady pace is never a loss, whatever it is. After opening nothing is told before some steps have been
/// seen. After a change of rate what happens in these steps is told once they are seen, without a number: chips differ in
/// what they do with the sample that they are at.
struct OverflowDetector {
    /// A jump that may be a loss.
    private struct Jump {
        let from: Int64
        let to: Int64
        /// The step that it should have been.
        let expected: Int64
    }

    private var period: Int64
    private var last: Int64?
    private var suspicion: Jump?
    /// A change of pace whose first sample has not been seen.
    private var change: RateChange?
    /// The steps since a change of pace, from its last sample on, until they are judged.
    private var firstSteps: [Jump]?
    /// What was found, and not returned yet.
    private var found: [Gap] = []
    private var steps: [Int64] = []
    private var nextStep = 0

    private static let stepsBeforeVerdicts = 4
    private static let stepsKept = 8

    init(periodNanoseconds: Int64) {
        period = max(periodNanoseconds, 1)
        steps.reserveCapacity(Self.stepsKept)
    }

    /// Learns another pace from the first sample on that is younger than the change; older ones may still lie in the buffer.
    mutating func restart(periodNanoseconds: Int64, at now: Int64) {
        change = RateChange(at: change?.at ?? now, periodNanoseconds: max(periodNanoseconds, 1))
    }

    /// The next stamp does not follow from the last one: the sequence of believable stamps was broken.
    mutating func forget() {
        if let change { period = change.periodNanoseconds }
        last = nil
        change = nil
        learn()
    }

    private mutating func learn() {
        suspicion = nil
        firstSteps = nil
        steps.removeAll(keepingCapacity: true)
        nextStep = 0
    }

    /// The gap to tell before the sample with this stamp, if there is one; stamps must increase.
    ///
    /// `next` is the stamp after it, where that is there already. One gap at a time: a second one waits for its turn.
    mutating func gap(before stamp: Int64, next: Int64?) -> Gap? {
        if let last { find(from: last, to: stamp, next: next) }
        last = stamp
        return found.isEmpty ? nil : found.removeFirst()
    }

    private mutating func find(from last: Int64, to stamp: Int64, next: Int64?) {
        if let waiting = suspicion.flatMap({ Self.gap($0, next: stamp) }) { found.append(waiting) }
        suspicion = nil
        if let change, stamp > change.at {
            if change.mayHaveCost(from: last, to: stamp, before: period) { tellReconfigured(from: last, to: stamp) }
            self.change = nil
            period = change.periodNanoseconds
            learn()
            firstSteps = []
            return
        }
        let jump = jump(from: last, to: stamp)
        remember(from: last, to: stamp)
        if let jump, let next {
            if let gap = Self.gap(jump, next: next) { found.append(gap) }
        } else {
            suspicion = jump
        }
    }

    private mutating func tellReconfigured(from last: Int64, to stamp: Int64) {
        let from = BootTime(nanoseconds: last) + 1
        let until = max(from, BootTime(nanoseconds: stamp) + -1)
        found.append(Gap(cause: .reconfigured, count: nil, from: from, until: until))
    }

    private func jump(from last: Int64, to stamp: Int64) -> Jump? {
        let step = stamp.subtractingSaturating(last)
        // The median costs a sort, so only a step that looks like a loss pays for it.
        guard step.isJump(over: period), steps.count >= Self.stepsBeforeVerdicts else { return nil }
        let expected = usualStep
        return step.isJump(over: expected) ? Jump(from: last, to: stamp, expected: expected) : nil
    }

    private var usualStep: Int64 { max(period, steps.sorted()[steps.count / 2]) }

    /// The gap that a jump is, in the light of the stamp that follows it.
    private static func gap(_ jump: Jump, next: Int64) -> Gap? {
        let following = min(next.subtractingSaturating(jump.to), jump.expected)
        guard following >= jump.expected / 2 else { return nil }
        let steps = (Double(jump.to) - Double(jump.from) + Double(following)) / Double(jump.expected)
        let lost = Int(clamping: steps.rounded().clamped(to: 2...1e15)) - 2
        guard lost > 0 else { return nil }
        let from = BootTime(nanoseconds: jump.from) + jump.expected
        let until = max(from, BootTime(nanoseconds: jump.to) + -jump.expected)
        return Gap(cause: .deviceOverflow, count: lost, from: from, until: until)
    }

    private mutating func remember(from last: Int64, to stamp: Int64) {
        let step = stamp.subtractingSaturating(last)
        if steps.count < Self.stepsKept {
            steps.append(step)
        } else {
            steps[nextStep] = step
            nextStep = (nextStep + 1) % Self.stepsKept
        }
        guard firstSteps != nil else { return }
        firstSteps?.append(Jump(from: last, to: stamp, expected: period))
        if steps.count == Self.stepsBeforeVerdicts { judgeFirstSteps() }
    }

    private mutating func judgeFirstSteps() {
        let usual = usualStep
        for step in firstSteps ?? [] where step.to.subtractingSaturating(step.from).isJump(over: usual) {
            tellReconfigured(from: step.from, to: step.to)
        }
        firstSteps = nil
    }
}

/// A change of a device's pace while samples flow.
struct RateChange {
    /// When it was begun, on the clock of the stamps.
    let at: Int64
    let periodNanoseconds: Int64

    /// Whether samples may have been lost between the last stamp of before it and the first of after it.
    ///
    /// Nobody knows how many: some chips begin a sample at once, others finish the one that they are at. So what is longer
    /// than a new period is told, but for just an old one, and what is missing of the old pace.
    func mayHaveCost(from last: Int64, to first: Int64, before oldPeriod: Int64) -> Bool {
        let isFinished =
            first.subtractingSaturating(last).subtractingSaturating(oldPeriod).magnitude <= oldPeriod.magnitude / 50
        return !isFinished
            && (first.subtractingSaturating(max(last, at)).isJump(over: periodNanoseconds)
                || at.subtractingSaturating(last).isJump(over: oldPeriod))
    }
}

extension Int64 {
    /// Whether a step is too long for a period, by more than stamps differ.
    func isJump(over expected: Int64) -> Bool { subtractingSaturating(expected) > expected / 2 }
}
