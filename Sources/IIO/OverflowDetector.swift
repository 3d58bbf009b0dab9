internal import Readings

/// Finds samples that never came, from the stamps of those that did: nothing else tells that a buffer ran over.
///
/// A jump of more than one and a half periods is a loss, unless a short step follows: then a stamp was late and no sample
/// lost. Where the next stamp is not there yet, the sample is not held back for it: the verdict waits, and its gap comes
/// one sample late. The period is the longer of what the chip claims and of the median of the last steps, since chips
/// claim wrongly: a steady pace is never a loss, whatever it is. Nothing is told before some steps have been seen, after
/// opening as after a change of rate.
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
    /// The last stamp before the pace was changed.
    private var change: Jump?
    private var steps: [Int64] = []
    private var nextStep = 0

    private static let stepsBeforeVerdicts = 4
    private static let stepsKept = 8

    init(periodNanoseconds: Int64) {
        period = max(periodNanoseconds, 1)
        steps.reserveCapacity(Self.stepsKept)
    }

    /// Starts to learn anew, at another pace; a pause for the change that is longer than either period is told.
    mutating func restart(periodNanoseconds: Int64) {
        let slower = max(period, periodNanoseconds, 1)
        let change = last.map { Jump(from: $0, to: $0, expected: slower) }
        period = max(periodNanoseconds, 1)
        forget()
        self.change = change
    }

    /// The next stamp does not follow from the last one: the sequence of believable stamps was broken.
    mutating func forget() {
        last = nil
        suspicion = nil
        change = nil
        steps.removeAll(keepingCapacity: true)
        nextStep = 0
    }

    /// The gap to tell before the sample with this stamp, if there is one; stamps must increase.
    ///
    /// `next` is the stamp after it, where that is there already.
    mutating func gap(before stamp: Int64, next: Int64?) -> Gap? {
        defer { last = stamp }
        guard let last else { return takeChange(endingAt: stamp) }
        let waiting = suspicion.flatMap { Self.gap($0, next: stamp) }
        let jump = jump(from: last, to: stamp)
        suspicion = jump
        remember(stamp.subtractingSaturating(last))
        // One gap at a time: a second jump at once waits for its turn.
        guard waiting == nil, let jump, let next else { return waiting }
        suspicion = nil
        return Self.gap(jump, next: next)
    }

    private mutating func takeChange(endingAt stamp: Int64) -> Gap? {
        guard let change else { return nil }
        self.change = nil
        guard isJump(stamp.subtractingSaturating(change.from), over: change.expected) else { return nil }
        let from = BootTime(nanoseconds: change.from) + 1
        return Gap(cause: .reconfigured, count: nil, from: from, until: max(from, BootTime(nanoseconds: stamp) + -1))
    }

    private func jump(from last: Int64, to stamp: Int64) -> Jump? {
        let step = stamp.subtractingSaturating(last)
        // The median costs a sort, so only a step that looks like a loss pays for it.
        guard isJump(step, over: period), steps.count >= Self.stepsBeforeVerdicts else { return nil }
        let expected = max(period, steps.sorted()[steps.count / 2])
        return isJump(step, over: expected) ? Jump(from: last, to: stamp, expected: expected) : nil
    }

    private func isJump(_ step: Int64, over expected: Int64) -> Bool { step - expected > expected / 2 }

    /// The gap that a jump is, in the light of the stamp that follows it.
    private static func gap(_ jump: Jump, next: Int64) -> Gap? {
        let following = min(next.subtractingSaturating(jump.to), jump.expected)
        guard following >= jump.expected / 2 else { return nil }
        let steps = (Double(jump.to) - Double(jump.from) + Double(following)) / Double(jump.expected)
        let lost = Int(steps.rounded().clamped(to: 2...1e15)) - 2
        guard lost > 0 else { return nil }
        let from = BootTime(nanoseconds: jump.from) + jump.expected
        let until = max(from, BootTime(nanoseconds: jump.to) + -jump.expected)
        return Gap(cause: .deviceOverflow, count: lost, from: from, until: until)
    }

    private mutating func remember(_ step: Int64) {
        if steps.count < Self.stepsKept {
            steps.append(step)
        } else {
            steps[nextStep] = step
            nextStep = (nextStep + 1) % Self.stepsKept
        }
    }
}
