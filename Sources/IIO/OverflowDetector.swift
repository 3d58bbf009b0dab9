internal import Readings

/// Finds samples that never came, from the stamps of those that did: nothing else tells that a buffer ran over.
///
/// A jump of more than one and a half periods is a loss. The period is the longer of what the chip claims and of the
/// median of the last steps, since chips claim wrongly: a steady pace is never a loss, whatever it is. Nothing is told
/// before some steps have been seen, after opening as after a change of rate.
struct OverflowDetector {
    private var period: Int64
    private var last: Int64?
    private var steps: [Int64] = []
    private var nextStep = 0

    private static let stepsBeforeVerdicts = 4
    private static let stepsKept = 8

    init(periodNanoseconds: Int64) {
        period = max(periodNanoseconds, 1)
        steps.reserveCapacity(Self.stepsKept)
    }

    /// Starts to learn anew, at another pace.
    mutating func restart(periodNanoseconds: Int64) {
        period = max(periodNanoseconds, 1)
        forget()
    }

    /// The next stamp does not follow from the last one: the sequence of believable stamps was broken.
    mutating func forget() {
        last = nil
        steps.removeAll(keepingCapacity: true)
        nextStep = 0
    }

    /// The gap before a sample with this stamp, if there is one; stamps must increase.
    mutating func gap(before stamp: Int64) -> Gap? {
        defer { last = stamp }
        guard let last else { return nil }
        let step = stamp.subtractingSaturating(last)
        defer { remember(step) }
        // The median costs a sort, so only a step that looks like a loss pays for it.
        guard isJump(step, over: period), steps.count >= Self.stepsBeforeVerdicts else { return nil }
        let expected = max(period, steps.sorted()[steps.count / 2])
        guard isJump(step, over: expected) else { return nil }
        let lost = Int((Double(step) / Double(expected)).rounded().clamped(to: 2...1e15)) - 1
        let from = BootTime(nanoseconds: last) + expected
        let until = max(from, BootTime(nanoseconds: stamp) + -expected)
        return Gap(cause: .deviceOverflow, count: lost, from: from, until: until)
    }

    private func isJump(_ step: Int64, over expected: Int64) -> Bool { step - expected > expected / 2 }

    private mutating func remember(_ step: Int64) {
        if steps.count < Self.stepsKept {
            steps.append(step)
        } else {
            steps[nextStep] = step
            nextStep = (nextStep + 1) % Self.stepsKept
        }
    }
}
