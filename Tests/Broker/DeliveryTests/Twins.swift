import Readings
import Simulation
import TestTools

@testable import Delivery

/// A resource, and lanes that never sleep, to which the same happens at random.
struct Twins: ~Copyable {
    static let period: Int64 = 10_000_000

    private var resource = Self.openResource()
    private var reference = WakefulLanes()
    private var dice: SeededGenerator
    /// Whether there are few lanes, nearly all of which take every sample.
    // Swift 6.2 takes no mutating call in an initialiser that has set a constant.
    private var isGreedy: Bool
    private var now: Int64 = 1_000_000_000
    private var measured: Int64 = 1_000_000_000
    private var sequence: UInt64 = 0
    private var clients: [Client] = []
    private var lastClient = 0
    private var sent: [Lane] = []
    private var expected: [Lane] = []
    /// How many samples were taken together with others.
    private(set) var taken = 0
    /// How many samples came in runs.
    private(set) var offered = 0

    init(seed: UInt64, isGreedy: Bool = false) {
        dice = SeededGenerator(seed: seed)
        self.isGreedy = isGreedy
        reference.run(at: resource.pace)
        for _ in 0..<roll(1...(isGreedy ? 3 : 40)) { join() }
    }

    static func openResource() -> Resource {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        _ = resource.accept(profile(period))
        resource.deviceOpened()
        _ = resource.accept(.active)
        return resource
    }

    static func profile(_ interval: Int64?) -> DeviceProfile {
        DeviceProfile(
            offered: .range(shortestNanoseconds: period / 10, longestNanoseconds: 1_000 * period),
            intervalNanoseconds: interval, description: nil, simulated: true)
    }

    static func grant(
        interval: Int64, batch: Int64 = 0, filter: Filter = .newest, change: Double? = nil,
        within limits: IntervalLimits
    ) -> Grant {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.batchNanoseconds = batch
        request.filter = filter
        request.minimumChange = change
        return Grant(request, within: limits)
    }

    // MARK: what happens

    /// Has something happen, and returns its name.
    mutating func step() -> String {
        let event: String
        switch roll(0...99) {
        case 0..<60:
            sample()
            event = "a sample"
        case 60..<70:
            run()
            event = "a run of samples"
        case 70..<76:
            expire()
            event = "a deadline"
        case 76..<79:
            gap()
            event = "a gap"
        case 79..<83:
            join()
            event = "a newcomer"
        case 83..<85:
            leave()
            event = "a farewell"
        case 85..<88:
            change()
            event = "another grant"
        case 88..<95:
            pace()
            event = "another pace"
        case 95..<97:
            lose()
            event = "the loss of the device"
        default:
            open()
            event = "an opening"
        }
        // Several samples may come before anything is sent.
        if roll(0...3) > 0 { send(onlyGathering: roll(0...5) == 0) }
        return event
    }

    private mutating func sample() {
        let sample = measure()
        _ = resource.accept(sample, now: at(now))
        reference.accept(sample, now: at(now))
    }

    /// Takes together what `quietCount` counts.
    private mutating func run() {
        var run = SampleRun(of: .acceleration, from: sequence + 1)
        for _ in 0..<roll(2...40) {
            guard case .values(let values) = measure().measurement else { continue }
            run.append(values, at: at(measured))
        }
        for sample in run.samples { reference.accept(sample, now: at(now)) }
        offered += run.count
        var start = 0
        while start < run.count {
            let count = resource.quietCount(of: run, from: start)
            if count > 0 {
                resource.acceptQuiet(run, start..<start + count, now: at(now))
                taken += count
            } else {
                _ = resource.accept(run[start], now: at(now))
            }
            start += max(count, 1)
        }
    }

    private mutating func measure() -> Sample {
        let period = resource.pace.periodNanoseconds ?? Self.period
        switch roll(0...29) {
        case 0: measured += period * roll(2...30)
        case 1: measured -= period * roll(1...30)
        case 2: break
        default: measured += period + roll(-period / 3...period / 3)
        }
        now = max(now, measured + roll(-period...2 * period))
        sequence += 1
        return Samples.acceleration(sequence, at: measured, x: Double(roll(0...8)))
    }

    private mutating func gap() {
        let count = roll(1...40)
        let from = measured + Self.period
        // Some are reported late, when samples have come again.
        if roll(0...3) > 0 { measured += count * Self.period }
        let gap = Gap(
            cause: roll(0...1) == 0 ? .deviceOverflow : .deviceLost, count: Int(count), from: at(from),
            until: at(from + (count - 1) * Self.period))
        resource.accept(gap)
        reference.accept(gap)
    }

    private mutating func join(_ client: Client? = nil, inheriting former: Member? = nil) {
        let isUsual = !isGreedy || roll(0...9) == 0
        let filter: Filter = isUsual && roll(0...5) == 0 ? .mean : .newest
        let interval =
            roll(0...9) == 0 ? 0 : roll(1...(isUsual ? 80 : 2)) * Self.period / 2 + roll(0...1) * roll(0...999_999)
        let hasBatch = roll(0...(isUsual ? 4 : 1)) == 0
        let grant = Self.grant(
            interval: interval, batch: hasBatch ? roll(1...60) * Self.period : 0, filter: filter,
            change: isUsual && roll(0...5) == 0 ? Double(roll(1...6)) : nil, within: resource.limits)
        lastClient += 1
        let client = client ?? Client(lastClient)
        let count = resource.lanes.count
        let first = resource.join(client, grant, now: at(now), inheriting: former)
        clients.append(client)
        guard resource.lanes.count > count else { return }
        reference.append(grant, from: grant.isShared ? nil : former?.lastMeasurement, first: first)
    }

    @discardableResult
    private mutating func leave() -> (Client, Member?)? {
        guard !clients.isEmpty else { return nil }
        let client = clients.remove(at: Int(roll(0...Int64(clients.count - 1))))
        let lane = resource.lanes.position(of: client)?.lane
        let former = resource.leave(client)
        if let lane, resource.lanes.count < reference.lanes.count { reference.remove(at: lane.number) }
        return (client, former)
    }

    private mutating func change() {
        guard let (client, former) = leave() else { return }
        join(client, inheriting: former)
    }

    private mutating func pace() {
        // A long period makes lanes take all that were not due yet.
        let longest: Int64 = roll(0...2) == 0 ? 300 : 30
        var profile = Self.profile(roll(0...9) == 0 ? nil : Self.period * roll(1...longest) / 10)
        profile.isDecimated = roll(0...2) == 0
        _ = resource.accept(profile)
        if roll(0...1) == 0 { resource.latencyNanoseconds = roll(0...20) * Self.period }
        reference.run(at: resource.pace)
    }

    private mutating func lose() {
        let losses: [(ResourceState, Gap.Cause)] = [
            (.unavailable(reason: "unplugged"), .deviceLost), (.released, .released), (.idle, .reconfigured),
        ]
        let (state, cause) = losses[Int(roll(0...2))]
        guard resource.accept(state) else { return }
        reference.deviceLost(state == .idle && reference.lanes.isEmpty ? nil : cause)
    }

    private mutating func open() {
        send(onlyGathering: false)
        resource.deviceOpened()
        reference.deviceOpened()
        _ = resource.accept(.active)
        sequence = 0
    }

    private mutating func expire() {
        guard let deadline = resource.deadline else { return }
        // The loop may be late, and there may have been nothing to wait for.
        now = max(now, deadline.nanoseconds + (roll(0...3) == 0 ? roll(0...20) * Self.period : 0))
        resource.expire(now: at(now))
        reference.expire(now: at(now))
        for (client, reading) in resource.takeUndelivered(now: at(now)) {
            guard let lane = resource.lanes.position(of: client)?.lane, !resource.lanes[lane].grant.isShared else {
                continue
            }
            reference.didDeliverAlone(reading, in: lane)
        }
    }

    private mutating func send(onlyGathering: Bool) {
        expected = reference.lanes.filter { $0.isToBeSent(onlyGathering: onlyGathering) }
        reference.didSend(onlyGathering: onlyGathering)
        sent = []
        guard resource.hasOutgoing(onlyGathering: onlyGathering) else { return }
        var lanes: [Lane] = []
        resource.sendOutgoing(onlyGathering: onlyGathering) { lanes.append($0) }
        sent = lanes
    }

    // MARK: whether it is the same

    /// What the resource sends otherwise than lanes that never sleep would; nil: nothing.
    mutating func difference() -> String? {
        if let difference = Self.difference(sent, expected) { return "it sent \(difference)" }
        let deadline = resource.deadline
        let expected = BootTime.earlier(reference.deadline, resource.undelivered.deadline(resource.pace))
        if deadline != expected { return "its deadline is \(deadline as Any), not \(expected as Any)" }
        return Self.difference(Array(resource.lanes), reference.lanes)
    }

    private static func difference(_ lanes: [Lane], _ others: [Lane]) -> String? {
        if lanes.count != others.count { return "\(lanes.count) lanes, not \(others.count)" }
        for (lane, other) in zip(lanes, others) {
            let isSame =
                lane.hasOutgoing == other.hasOutgoing && lane.nextDue == other.nextDue
                && lane.readings == other.readings
                && lane.gaps == other.gaps && lane.newest == other.newest && lane.grant == other.grant
            if !isSame { return "\(words(lane)), not \(words(other))" }
        }
        return nil
    }

    private static func words(_ lane: Lane) -> String {
        "\(lane.grant), due \(lane.nextDue as Any): \(lane.readings.map(\.timestamp)) \(lane.gaps)"
    }

    private mutating func roll(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &dice) }
}
