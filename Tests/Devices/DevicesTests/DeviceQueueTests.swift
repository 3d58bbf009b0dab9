import Readings
import Testing

@testable import Devices

@Suite struct DeviceQueueTests {
    private static func samples(_ numbers: Range<UInt64>) -> [DeviceEvent] {
        numbers.map { number in
            .sample(
                Sample(
                    sequence: number, timestamp: BootTime(nanoseconds: Int64(number)),
                    measurement: .values(Acceleration(x: 0, y: 0, z: 9.8))))
        }
    }

    private static func overflow(_ count: Int?, _ from: Int64, _ until: Int64) -> DeviceEvent {
        .gap(
            Gap(
                cause: .deviceOverflow, count: count, from: BootTime(nanoseconds: from),
                until: BootTime(nanoseconds: until)))
    }

    @Test("events keep their order")
    func order() {
        var queue = DeviceQueue(capacity: 16)
        queue.append(.opened)
        queue.append(Self.samples(0..<3))
        queue.append(.state(.active))
        #expect(queue.events == [.opened] + Self.samples(0..<3) + [.state(.active)])
    }

    @Test("when it is full, the oldest samples become one gap with count and span")
    func overflow() {
        var queue = DeviceQueue(capacity: 16)
        for number: UInt64 in 0..<17 { queue.append(Self.samples(number..<number + 1)) }
        #expect(queue.events == [Self.overflow(5, 0, 4)] + Self.samples(5..<17))
    }

    @Test("further overflow grows the gap; every sample is there or counted")
    func longOverflow() {
        var queue = DeviceQueue(capacity: 16)
        for number: UInt64 in 0..<1000 {
            queue.append(Self.samples(number..<number + 1))
            #expect(queue.events.count <= 16)
        }
        let kept = queue.events.count - 1
        #expect(kept >= 11)
        let first = UInt64(1000 - kept)
        #expect(queue.events == [Self.overflow(Int(first), 0, Int64(first) - 1)] + Self.samples(first..<1000))
    }

    @Test("the count of merged gaps is clamped to the largest integer")
    func endlessOverflow() {
        var queue = DeviceQueue(capacity: 16)
        queue.append([Self.overflow(.max, 0, 1)] + Self.samples(2..<30))
        #expect(queue.events.first == Self.overflow(.max, 0, 17))
    }

    @Test("a batch larger than the queue leaves its newest part")
    func largeBatch() {
        var queue = DeviceQueue(capacity: 16)
        queue.append(Self.samples(0..<100))
        #expect(queue.events.count <= 16)
        #expect(queue.events.last == Self.samples(99..<100).first)
        #expect(queue.events.first == Self.overflow(88, 0, 87))
    }

    @Test("states, profiles, openings and other gaps remain, in order")
    func keepsTheRest() {
        let lost = DeviceEvent.gap(
            Gap(cause: .reconfigured, count: nil, from: BootTime(nanoseconds: 1), until: BootTime(nanoseconds: 2)))
        let profile = DeviceEvent.profile(
            DeviceProfile(offered: .discrete([1]), intervalNanoseconds: 1, description: nil, simulated: true))
        var queue = DeviceQueue(capacity: 8)
        queue.append([.opened, profile, .state(.active)] + Self.samples(0..<3) + [lost])
        queue.append(Self.samples(3..<20))
        let kept = queue.events.filter { if case .sample = $0 { false } else { true } }
        #expect(Array(kept.prefix(3)) == [.opened, profile, .state(.active)])
        #expect(kept[3] == Self.overflow(3, 0, 2))
        #expect(kept[4] == lost)
        #expect(queue.events.last == Self.samples(19..<20).first)
    }

    @Test("a device's own overflow is counted in, an unknown number makes the sum unknown")
    func mergesGaps() {
        var known = DeviceQueue(capacity: 8)
        known.append([Self.overflow(10, 0, 9)])
        known.append(Self.samples(10..<18))
        #expect(known.events.first == Self.overflow(12, 0, 11))
        var unknown = DeviceQueue(capacity: 8)
        unknown.append([Self.overflow(nil, 0, 9)])
        unknown.append(Self.samples(10..<18))
        #expect(unknown.events.first == Self.overflow(nil, 0, 11))
    }

    @Test("swapping reuses the storage")
    func swaps() {
        var queue = DeviceQueue(capacity: 16)
        var events = Self.samples(50..<60)
        queue.append(Self.samples(0..<2))
        queue.swapOut(&events)
        #expect(events == Self.samples(0..<2))
        #expect(queue.events.isEmpty)
        #expect(queue.events.capacity >= 10)
    }

    /// Scans of two kinds, except those numbers for which the second kind is missing.
    private static func scans(_ numbers: Range<UInt64>, lacking: Set<UInt64> = []) -> [DeviceEvent] {
        numbers.flatMap { number -> [DeviceEvent] in
            let instant = BootTime(nanoseconds: Int64(number))
            let turn: DeviceEvent =
                lacking.contains(number)
                ? .missing(
                    Gap(cause: .deviceLost, count: 1, from: instant, until: instant),
                    of: Quantity(.angularVelocity))
                : .sample(
                    Sample(
                        sequence: number, timestamp: instant,
                        measurement: .values(AngularVelocity(x: 0, y: 0, z: 1))))
            return samples(number..<number + 1) + [turn]
        }
    }

    private static func missing(
        _ kind: Kind, _ count: Int, _ from: Int64, _ until: Int64, _ cause: Gap.Cause = .deviceOverflow
    ) -> DeviceEvent {
        .missing(
            Gap(cause: cause, count: count, from: BootTime(nanoseconds: from), until: BootTime(nanoseconds: until)),
            of: Quantity(kind))
    }

    @Test("scans are dropped whole, and a gap counts each of their kinds")
    func scans() {
        var queue = DeviceQueue(capacity: 16)
        queue.append(Self.scans(0..<9))
        #expect(
            queue.events == [Self.missing(.acceleration, 3, 0, 2), Self.missing(.angularVelocity, 3, 0, 2)]
                + Self.scans(3..<9))
    }

    @Test("earlier losses of one kind are reported for that kind, and nothing twice")
    func unequalScans() {
        var queue = DeviceQueue(capacity: 16)
        queue.append(Self.scans(0..<9, lacking: [1]))
        #expect(
            queue.events == [
                Self.missing(.acceleration, 3, 0, 2), Self.missing(.angularVelocity, 2, 0, 2),
                Self.missing(.angularVelocity, 1, 1, 1, .deviceLost),
            ] + Self.scans(3..<9))
    }

    @Test("each sample of each kind is present or counted, however long the loop is busy, and the queue is bounded")
    func longOverflowOfScans() {
        var queue = DeviceQueue(capacity: 32)
        for number: UInt64 in 0..<1000 {
            queue.append(Self.scans(number..<number + 1, lacking: number % 7 == 0 ? [number] : []))
            #expect(queue.events.count <= 33)
        }
        for kind: Kind in [.acceleration, .angularVelocity] {
            let count = queue.events.reduce(0) { sum, event in
                switch event {
                case .sample(let sample) where sample.measurement.kind == kind: sum + 1
                case .missing(let gap, Quantity(kind)): sum + (gap.count ?? 0)
                default: sum
                }
            }
            #expect(count == 1000)
        }
    }

    @Test("a queue of runs loses what a queue of their samples would lose", arguments: [1, 2, 7, 16, 40])
    func runs(length: Int) {
        var queue = DeviceQueue(capacity: 16)
        var next: UInt64 = 0
        for _ in 0..<50 {
            var run = SampleRun(of: .acceleration, from: next)
            for case .sample(let sample) in Self.samples(next..<next + UInt64(length)) {
                guard case .values(let values) = sample.measurement else { continue }
                run.append(values, at: sample.timestamp)
            }
            next += UInt64(length)
            queue.append([.run(run)])
            let apart = queue.events.apart
            #expect(apart.count <= 16)
            let kept = apart.count { if case .sample = $0 { true } else { false } }
            #expect(kept >= min(Int(next), 11))
            let lost = next - UInt64(kept)
            let expected = (lost > 0 ? [Self.overflow(Int(lost), 0, Int64(lost) - 1)] : []) + Self.samples(lost..<next)
            #expect(apart == expected)
        }
        var events: [DeviceEvent] = []
        queue.swapOut(&events)
        queue.append(Self.samples(0..<16))
        #expect(queue.events == Self.samples(0..<16), "an emptied queue has all its room again")
    }
}

extension DeviceQueue {
    fileprivate mutating func append(_ events: [DeviceEvent]) {
        var events = events
        take(&events)
        #expect(events.isEmpty)
    }
}
