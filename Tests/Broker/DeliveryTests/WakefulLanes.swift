import Readings

@testable import Delivery

/// The lanes of a resource as they are where none ever sleeps: each is offered whatever comes.
struct WakefulLanes {
    private(set) var lanes: [Lane] = []
    private var pace = Pace(periodNanoseconds: nil)
    private var anchor: BootTime?
    private var last: Sample?
    private var isServing = false
    private var loss: (from: BootTime, cause: Gap.Cause)?

    mutating func accept(_ sample: Sample, now: BootTime) {
        last = sample
        isServing = true
        anchor = anchor ?? sample.timestamp
        reportLoss(until: sample.timestamp)
        for index in lanes.indices { lanes[index].offer(sample, now: max(now, sample.timestamp), pace: pace) }
    }

    mutating func accept(_ gap: Gap) {
        if last != nil, loss?.cause == gap.cause { loss = nil }
        reportLoss(until: gap.from)
        for index in lanes.indices { lanes[index].offer(gap, pace: pace) }
    }

    mutating func run(at pace: Pace) { self.pace = pace }

    mutating func deviceOpened() {
        (last, anchor, isServing) = (nil, nil, false)
        for index in lanes.indices { lanes[index].restart(on: nil) }
    }

    /// The device is lost, or nobody needs it any more.
    mutating func deviceLost(_ cause: Gap.Cause?) {
        defer { isServing = false }
        guard let cause else { return loss = nil }
        guard isServing, let last else { return }
        for index in lanes.indices { lanes[index].loseDevice(after: last.timestamp) }
        loss = (loss?.from ?? last.timestamp, cause)
    }

    private mutating func reportLoss(until: BootTime) {
        guard let (from, cause) = loss else { return }
        loss = nil
        let gap = Gap(cause: cause, count: nil, from: from, until: max(from, until))
        for index in lanes.indices { lanes[index].offer(gap, pace: pace) }
    }

    /// A lane more, whose first client had this measurement before and got this reading at once.
    mutating func append(_ grant: Grant, from measurement: Measurement?, first: Sample?) {
        var lane = Lane(grant: grant, anchor: anchor)
        if let measurement { lane.continueChange(from: measurement) }
        if let first { lane.didDeliverAlone(first, pace: pace) }
        lanes.append(lane)
    }

    mutating func remove(at index: Int) { lanes.remove(at: index) }

    mutating func didDeliverAlone(_ sample: Sample, in index: LaneIndex) {
        lanes[index.number].didDeliverAlone(sample, pace: pace)
    }

    var deadline: BootTime? { lanes.reduce(nil) { BootTime.earlier($0, $1.deadline(pace: pace)) } }

    mutating func expire(now: BootTime) {
        for index in lanes.indices { lanes[index].expire(now: now, pace: pace) }
    }

    mutating func didSend(onlyGathering: Bool) {
        for index in lanes.indices where lanes[index].isToBeSent(onlyGathering: onlyGathering) {
            lanes[index].didSend()
        }
    }
}
