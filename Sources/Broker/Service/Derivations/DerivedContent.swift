internal import Delivery
internal import Devices
internal import Motion
internal import Readings

/// What follows from the readings of a derivation's inputs: that in which one derivation differs from another.
///
/// Inputs are given by their positions among those of the derivation.
protocol DerivedContent: AnyObject {
    /// Whether counts of unknown size will do, since only directions matter.
    var needsScale: Bool { get }
    /// What it is derived from, as text for people.
    func origin(_ inputs: [DerivationInput]) -> String
    /// How it can be had, while its inputs are these.
    func offered(_ inputs: [DerivationInput]) -> OfferedIntervals
    /// How often something follows, for those who want it so.
    func intervalNanoseconds(_ inputs: [DerivationInput], for demand: Demand) -> Int64?
    /// What it asks of an input whose resource this is; nil: nothing at present.
    func grant(of source: OwnedResource, at position: Int, for demand: Demand) -> Grant?
    /// Why nothing can follow from these inputs, although all are there; nil: something can.
    func flaw(in inputs: [DerivationInput]) -> String?
    /// Why some kinds do not follow at present although the others do.
    func withheld(_ inputs: [DerivationInput]) -> Withheld

    /// Whether it has been given something that is not concluded.
    var hasPending: Bool { get }
    /// Whether what follows is known; before that there is nothing to send.
    var isSettled: Bool { get }
    /// Why nothing follows from most readings of its only input; nil: something may follow from any.
    func ground(_ inputs: [DerivationInput]) -> Indifference.Ground?

    /// The bias that it has learnt of its first input, a gyroscope; nil: none, or nothing certain.
    var learnt: Motion.GyroscopeBias? { get }

    /// Those who ask for what is derived want it so.
    func want(_ demand: Demand)
    /// What is known of the errors of its inputs has changed, so all that was known is void.
    func calibrate(_ inputs: [DerivationInput])
    /// The samples of a required input count from 0 again: what was known does not apply any more.
    func restart()
    /// Takes readings of an input, oldest first, and what was lost of it.
    func take(_ readings: SampleList, _ gaps: [Gap], of position: Int, _ inputs: [DerivationInput])
    /// All that came in a turn has been taken: adds what follows to the intake.
    func conclude(into intake: inout Intake)
}

/// What most have in common: they follow their only or their first input, whatever is wanted of them.
extension DerivedContent {
    var learnt: Motion.GyroscopeBias? { nil }
    func withheld(_ inputs: [DerivationInput]) -> Withheld { Withheld() }
    func flaw(in inputs: [DerivationInput]) -> String? { nil }
    func ground(_ inputs: [DerivationInput]) -> Indifference.Ground? { nil }
    func want(_ demand: Demand) {}

    func intervalNanoseconds(_ inputs: [DerivationInput], for demand: Demand) -> Int64? {
        inputs[0].grant?.intervalNanoseconds
    }
}

extension OwnedResource {
    /// The grant of a reading so often, as far as the resource has limits.
    func grant(every nanoseconds: Int64) -> Grant {
        var request = Request(resource: name)
        request.intervalNanoseconds = nanoseconds
        return Grant(request, within: core.limits)
    }
}

/// Why something does not follow although all that nothing follows without is there.
struct Withheld: Equatable {
    /// Why nothing that needs north follows; nil: it does.
    var north: String?
    /// Why nothing that needs true north follows.
    var trueNorth: String?
    /// Why the angle of a hinge does not follow.
    var hinge: String?

    /// Why a kind does not follow; nil: it does.
    func reason(of kind: Kind) -> String? {
        switch kind {
        case .hinge: hinge
        case .trueHeading: north ?? trueNorth
        default: kind.needsNorth ? north : nil
        }
    }
}
