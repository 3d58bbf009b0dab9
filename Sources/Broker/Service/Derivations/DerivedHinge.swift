internal import Delivery
internal import Devices
internal import Motion
internal import Readings

/// The angle of the hinge between lid and base, from the accelerometer of each.
///
/// While it is not known there are no readings: what was reported last would be taken for the angle of now.
final class DerivedHinge: DerivedContent {
    /// What its inputs are, by their positions.
    static let parts: [HingeAngle.Part] = [.lid, .base]

    private var hinge = HingeAngle()
    /// What was reported last; nil: nothing that still holds.
    private var reported: Double?
    private var obstacle: HingeAngle.Obstacle?
    /// Since when that is in the way, by the times of samples.
    private var since: BootTime?
    private var isObstacleReported = false
    private var corrections: [SensorCalibration?] = [nil, nil]
    private var results: [(result: HingeAngle.Result, timestamp: BootTime)] = []

    /// Ten per second: nobody opens a lid faster.
    private static let intervalNanoseconds: Int64 = 100_000_000
    private static let slowestNanoseconds: Int64 = 1_000_000_000
    /// A push is not worth reporting.
    private static let patienceNanoseconds: Int64 = 1_000_000_000
    private static let stepDegrees = Kind.hinge.row.usualChange ?? 0

    let needsScale = true
    var hasPending: Bool { !results.isEmpty }
    var isSettled: Bool { reported != nil || isObstacleReported }

    func withheld(_ inputs: [DerivationInput]) -> Withheld {
        guard isObstacleReported, let obstacle else { return Withheld() }
        let reason =
            switch obstacle {
            case .motion: "lid or base is in motion"
            case .uprightHinge: "the hinge stands upright, so gravity does not show its angle"
            case .mounting:
                "\(inputs[0].origin) and \(inputs[1].origin) do not turn about a common x axis: "
                    + "check their mount matrices (sensorctl calibrate mounting)"
            case .closedOrFolded: "it is closed or folded round, and was not seen to come there"
            }
        return Withheld(hinge: reason)
    }

    func origin(_ inputs: [DerivationInput]) -> String { "\(inputs[0].origin) and \(inputs[1].origin)" }

    func offered(_ inputs: [DerivationInput]) -> OfferedIntervals {
        .range(shortestNanoseconds: Self.intervalNanoseconds, longestNanoseconds: Self.slowestNanoseconds)
    }

    /// However seldom clients look: a lid that is moved between two looks may be on another side of 180° then.
    func grant(of source: OwnedResource, at position: Int, for demand: Demand) -> Grant? {
        source.grant(every: Self.intervalNanoseconds)
    }

    func flaw(in inputs: [DerivationInput]) -> String? {
        inputs.first { $0.axes == .chip }.map { "how \($0.origin) is mounted is not known: it has no mount matrix" }
    }

    func calibrate(_ inputs: [DerivationInput]) { corrections = inputs.map(\.errors.calibration) }

    func restart() {
        hinge = HingeAngle()
        (reported, obstacle, since, isObstacleReported) = (nil, nil, nil, false)
        results.removeAll(keepingCapacity: true)
    }

    func take(_ readings: SampleList, _ gaps: [Gap], of position: Int, _ inputs: [DerivationInput]) {
        for reading in readings {
            guard case .values(let values) = reading.measurement else { continue }
            let vector = corrections[position]?.correct(Vector3(values)) ?? Vector3(values)
            if let result = hinge.take(vector, of: Self.parts[position], at: reading.timestamp) {
                results.append((result, reading.timestamp))
            }
        }
    }

    func conclude(into intake: inout Intake) {
        for (result, time) in results {
            switch result {
            case .known(let degrees): know(degrees, at: time, into: &intake)
            case .unknown(let obstacle): miss(because: obstacle, at: time)
            }
        }
        results.removeAll(keepingCapacity: true)
    }

    private func know(_ degrees: Double, at time: BootTime, into intake: inout Intake) {
        (obstacle, since, isObstacleReported) = (nil, nil, false)
        if let reported, abs(degrees - reported) < Self.stepDegrees { return }
        reported = degrees
        intake.append(.values(Values(.hinge, SIMD4(degrees, 0, 0, 0))), at: time)
    }

    private func miss(because obstacle: HingeAngle.Obstacle, at time: BootTime) {
        if since == nil { since = time }
        self.obstacle = obstacle
        guard let since, time - since >= Self.patienceNanoseconds else { return }
        (isObstacleReported, reported) = (true, nil)
    }
}
