import Glibc
import Readings
import TestTools
import Testing

@testable import Delivery

@Suite("An alignment") struct AlignmentTests {
    private var alignment = Alignment(most: 100, ofCompanions: [100])

    private mutating func lead(_ sequence: UInt64, at nanoseconds: Int64) {
        alignment.take([Samples.acceleration(sequence, at: nanoseconds)])
    }

    private mutating func companion(_ sequence: UInt64, at nanoseconds: Int64, x: Double? = nil, arrival: Int64? = nil)
    {
        alignment.take(
            [Samples.acceleration(sequence, at: nanoseconds, x: x)], of: 0, reachNanoseconds: 150,
            now: at(arrival ?? nanoseconds))
    }

    private mutating func gap(_ from: Int64, _ until: Int64, of companion: Int? = 0) {
        let gap = Gap(cause: .deviceOverflow, count: 1, from: at(from), until: at(until))
        if let companion { alignment.take(gap, of: companion) } else { alignment.take([], [gap]) }
    }

    /// What leaves: the number of each reading with the x of its companion.
    private mutating func leaving(now: Int64, isLast: Bool = false) -> [[Double?]] {
        guard let ready = alignment.ready(now: at(now), isLast: isLast) else { return [] }
        alignment.didSend(ready)
        return zip(ready.readings, ready.values[0]).map { reading, value in
            switch value {
            case .exact(let measurement), .interpolated(let measurement):
                [Double(reading.sequence), measurement.number(ofChannel: 0)]
            case .absent: [Double(reading.sequence), nil]
            }
        }
    }

    @Test("a reading waits for a companion's reading as late, and gets what lies on the line between two")
    mutating func waits() {
        companion(0, at: 100, x: 10)
        lead(0, at: 150)
        #expect(leaving(now: 160) == [] && alignment.deadline == at(250))
        companion(1, at: 200, x: 20)
        lead(1, at: 200)
        #expect(leaving(now: 200) == [[0, 15], [1, 20]])
        #expect(alignment.deadline == nil)
    }

    @Test("a value of the same time is exact, one in between is interpolated")
    mutating func exactness() {
        companion(0, at: 100)
        companion(1, at: 200)
        lead(0, at: 100)
        lead(1, at: 101)
        let values = alignment.ready(now: at(200))?.values[0]
        #expect(values?.map { if case .interpolated = $0 { true } else { false } } == [false, true])
    }

    @Test("if much is kept and something waits, what has all its companions may leave before the others")
    mutating func full() {
        lead(0, at: 99)
        for number in 0..<100 { companion(UInt64(number), at: 100 + Int64(number)) }
        #expect(alignment.isFull)
        lead(1, at: 199)
        lead(2, at: 200)
        let ready = alignment.ready(now: nil)
        #expect(ready?.readings.map(\.sequence) == [0, 1])
        if let ready { alignment.didSend(ready) }
        #expect(alignment.ready(now: nil) == nil)
        #expect(leaving(now: 1_000) == [[2, nil]] && !alignment.isFull)
    }

    @Test("before the first reading of a companion nothing is known, and nobody waits for it")
    mutating func before() {
        lead(0, at: 50)
        #expect(leaving(now: 50) == [[0, nil]])
        companion(0, at: 100)
        lead(1, at: 99)
        #expect(leaving(now: 100) == [[1, nil]])
    }

    @Test("nothing is extrapolated: of a companion that falls silent nothing is known after its last reading")
    mutating func silence() {
        companion(0, at: 100, x: 1)
        lead(0, at: 100)
        lead(1, at: 120)
        #expect(leaving(now: 120) == [[0, 1]])
        #expect(leaving(now: 249) == [] && alignment.deadline == at(250))
        #expect(leaving(now: 250) == [[1, nil]])
        lead(2, at: 260)
        #expect(leaving(now: 260) == [[2, nil]])
        // Its next reading is too far from the last one to show what was between.
        companion(1, at: 251, x: 5, arrival: 265)
        companion(2, at: 300, x: 9)
        lead(3, at: 262)
        // 5 + 4 * 11 / 49
        #expect(leaving(now: 300) == [[3, 5.89795918367]])
    }

    @Test("nothing is interpolated across a gap, which leaves in its place", arguments: [false, true])
    mutating func gaps(isLate: Bool) {
        companion(0, at: 100, x: 1)
        lead(0, at: 110)
        if !isLate { gap(120, 130) }
        companion(2, at: 200, x: 3)
        if isLate { gap(120, 130) }
        companion(3, at: 250, x: 4)
        lead(1, at: 225)
        #expect(alignment.ready(now: at(250))?.losses.map(\.companion) == [0])
        #expect(leaving(now: 250) == [[0, nil], [1, 3.5]])
    }

    @Test("a gap of the lead leaves behind the readings that came before it")
    mutating func ownGap() {
        companion(0, at: 100)
        lead(0, at: 150)
        gap(151, 160, of: nil)
        #expect(alignment.ready(now: at(160)) == nil)
        companion(1, at: 200)
        let ready = alignment.ready(now: at(200))
        #expect(ready?.readings.count == 1 && ready?.losses.map(\.companion) == [nil])
    }

    @Test("gaps that come with readings of the lead leave in their places")
    mutating func gapsBesideReadings() {
        let gaps = [100, 180].map {
            Gap(cause: .deviceOverflow, count: 1, from: at($0), until: at($0 + 10))
        }
        alignment.take([Samples.acceleration(0, at: 100), Samples.acceleration(1, at: 150)], gaps)
        companion(0, at: 100)
        companion(1, at: 120, arrival: 120)
        // The second reading waits, and so does the gap behind it.
        #expect(alignment.ready(now: at(150))?.losses.map(\.gap) == [gaps[0]])
        #expect(leaving(now: 150) == [[0, 0]])
        #expect(alignment.ready(now: at(150), isLast: true)?.losses.map(\.gap) == [gaps[1]])
    }

    @Test("gaps that wait are one for each request and cause, whose numbers add up, however many come")
    mutating func manyGaps() {
        companion(0, at: 100)
        lead(0, at: 150)
        for step in 0..<1_000 {
            gap(Int64(160 + 2 * step), Int64(161 + 2 * step))
            gap(Int64(160 + 2 * step), Int64(161 + 2 * step), of: nil)
        }
        #expect(alignment.ready(now: at(150)) == nil)
        let losses = alignment.ready(now: at(150), isLast: true)?.losses ?? []
        #expect(losses.map(\.companion) == [0, nil] && losses.map(\.gap.count) == [1_000, 1_000])
        #expect(losses.allSatisfy { $0.gap.from == at(160) && $0.gap.until == at(2_159) })
        // Nothing is known across any of them.
        companion(1, at: 240)
        companion(2, at: 300)
        lead(1, at: 230)
        #expect(leaving(now: 300) == [[0, nil], [1, nil]])
    }

    @Test("another opening of a companion's device does not continue the one before")
    mutating func reopened() {
        companion(7, at: 100, x: 1)
        lead(0, at: 150)
        alignment.interrupt(0)
        #expect(leaving(now: 150) == [[0, nil]])
        companion(8, at: 200, x: 2)
        lead(1, at: 180)
        #expect(leaving(now: 200) == [[1, nil]])
        // Counted from 0 again, without a word of it.
        companion(0, at: 250, x: 3)
        lead(2, at: 240)
        #expect(leaving(now: 250) == [[2, nil]])
    }

    @Test("a companion whose clock jumps back begins anew")
    mutating func clockJump() {
        companion(0, at: 1_000, x: 1)
        companion(1, at: 100, x: 2)
        companion(2, at: 200, x: 4)
        lead(0, at: 150)
        #expect(leaving(now: 1_000) == [[0, 3]])
    }

    @Test("if too many readings wait, the oldest leave without their companion, and none is lost")
    mutating func bound() {
        companion(0, at: 0)
        for number in 0..<130 { lead(UInt64(number), at: Int64(number + 1)) }
        let alone: [[Double?]] = (0..<30).map { [Double($0), nil] }
        #expect(leaving(now: 140) == alone)
        companion(1, at: 150, x: 150)
        let accompanied: [[Double?]] = (30..<130).map { [Double($0), Double($0 + 1)] }
        #expect(leaving(now: 150).map { [$0[0], $0[1]?.rounded()] } == accompanied)
    }

    @Test("at the end all that waits leaves")
    mutating func rest() {
        companion(0, at: 100)
        lead(0, at: 150)
        #expect(leaving(now: 150, isLast: true) == [[0, nil]])
        #expect(alignment.ready(now: at(150), isLast: true) == nil)
    }

    @Test("each of several companions is waited for")
    func several() {
        var alignment = Alignment(most: 100, ofCompanions: [100, 100])
        for index in 0..<2 {
            alignment.take(
                [Samples.acceleration(0, at: 100)], of: index, reachNanoseconds: 100 + Int64(index) * 50, now: at(100))
        }
        alignment.take([Samples.acceleration(0, at: 150)])
        alignment.take([Samples.acceleration(1, at: 150)], of: 0, reachNanoseconds: 100, now: at(160))
        #expect(alignment.ready(now: at(160)) == nil && alignment.deadline == at(250))
        #expect(alignment.ready(now: at(250))?.values.map(\.count) == [1, 1])
    }
}

@Suite("Aligned readings of a simulated signal") struct AlignmentAccuracyTests {
    /// A signal of 0.8 and 3.1 Hz.
    private static func truth(_ nanoseconds: Int64) -> Double {
        let seconds = Double(nanoseconds) / 1e9
        return 3 * sin(2 * .pi * 0.8 * seconds) + cos(2 * .pi * 3.1 * seconds)
    }

    private struct Companion {
        var readings: [(sample: Sample, arrival: Int64)] = []
        var gaps: [(gap: Gap, arrival: Int64)] = []
    }

    /// A companion with jitter and drop-outs, whose readings come late.
    private static func companion(_ period: Int64, _ delay: Int64, _ random: inout SeededGenerator) -> Companion {
        var companion = Companion()
        var dropped: (from: Int64, count: Int)?
        for number in 0..<(5_000_000_000 / period) {
            let stamp = number * period + Int64.random(in: -period / 10...period / 10, using: &random) + 1_000_000
            let arrival = stamp + delay + Int64.random(in: 0...period / 5, using: &random)
            if Int.random(in: 0..<25, using: &random) == 0 {
                dropped = (dropped?.from ?? stamp, (dropped?.count ?? 0) + 1)
                continue
            }
            if let (from, count) = dropped {
                let gap = Gap(
                    cause: .deviceOverflow, count: count, from: BootTime(nanoseconds: from),
                    until: BootTime(nanoseconds: stamp - 1))
                companion.gaps.append((gap, arrival))
                dropped = nil
            }
            let sample = Samples.acceleration(UInt64(number), at: stamp, x: truth(stamp))
            companion.readings.append((sample, arrival))
        }
        return companion
    }

    /// What two readings around a time, with no gap between them, show of it.
    private static func ideal(_ companion: Companion, at time: Int64) -> Double? {
        let readings = companion.readings
        let next = readings.firstIndex { $0.sample.timestamp.nanoseconds > time }
        guard let next, next > 0 else { return nil }
        let (first, second) = (readings[next - 1].sample, readings[next].sample)
        let (start, end) = (first.timestamp.nanoseconds, second.timestamp.nanoseconds)
        if start == time { return first.x }
        guard second.sequence == first.sequence + 1 else { return nil }
        return first.x + (second.x - first.x) * Double(time - start) / Double(end - start)
    }

    @Test(
        "are as near to it as linear interpolation can be, complete, in order, and a period late at most",
        arguments: 0..<20)
    func accuracy(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let periods: [Int64] = [10_000_000, Int64.random(in: 20_000_000...200_000_000, using: &random)]
        let delays = periods.map { Int64.random(in: 0...$0 / 2, using: &random) }
        let companions = zip(periods, delays).map { Self.companion($0, $1, &random) }
        // By arrival: what came of whom. The lead has 200 Hz here.
        enum Arrival {
            case lead(Sample)
            case companion(Int, Sample)
            case gap(Int, Gap)
        }
        var arrivals: [(time: Int64, what: Arrival)] = (0..<900).map { number in
            let stamp = Int64(number) * 5_000_000 + 20_000_000
            return (stamp, .lead(Samples.acceleration(UInt64(number), at: stamp)))
        }
        for (index, companion) in companions.enumerated() {
            arrivals += companion.gaps.map { ($0.arrival, .gap(index, $0.gap)) }
            arrivals += companion.readings.map { ($0.arrival, .companion(index, $0.sample)) }
        }
        // Stable: a gap comes before the reading that it came with.
        arrivals = arrivals.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
        var alignment = Alignment(most: 4_096, ofCompanions: [4_096, 4_096])
        var left: [(reading: Sample, values: [Alignment.Value], at: Int64)] = []
        for (time, what) in arrivals {
            let now = BootTime(nanoseconds: time)
            switch what {
            case .lead(let sample): alignment.take([sample])
            case .gap(let index, let gap): alignment.take(gap, of: index)
            case .companion(let index, let sample):
                // Two drop-outs in a row are no silence yet.
                alignment.take([sample], of: index, reachNanoseconds: 6 * periods[index], now: now)
            }
            while let ready = alignment.ready(now: now) {
                alignment.didSend(ready)
                for (row, reading) in ready.readings.enumerated() {
                    left.append((reading, ready.values.map { $0[row] }, time))
                }
            }
        }
        #expect(left.map(\.reading.sequence) == Array(0..<UInt64(left.count)) && left.count > 700)
        for index in 0..<2 {
            var (error, idealError, known) = (0.0, 0.0, 0)
            for (reading, values, _) in left {
                let time = reading.timestamp.nanoseconds
                // Before a companion's first reading nobody waits for it.
                if time < companions[index].readings[0].arrival { continue }
                let ideal = Self.ideal(companions[index], at: time)
                let value = values[index].measurement?.number(ofChannel: 0)
                #expect((value == nil) == (ideal == nil), "\(time)")
                guard let value, let ideal else { continue }
                known += 1
                error += pow(value - Self.truth(time), 2)
                idealError += pow(ideal - Self.truth(time), 2)
            }
            #expect(known > left.count * 3 / 4)
            #expect(error.squareRoot() <= 1.2 * idealError.squareRoot() + 1e-12)
        }
        // Late by the slowest companion's period and delay; where its reading is missing, by that of the next.
        let slowest = periods[1] + periods[1] / 2 + delays[1]
        let isLate = left.filter { $0.at - $0.reading.timestamp.nanoseconds > slowest }
        #expect(isLate.count < left.count / 4)
    }
}
