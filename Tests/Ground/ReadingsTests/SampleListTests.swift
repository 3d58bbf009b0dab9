import TestTools
import Testing

@testable import Readings

@Suite("A list of samples") struct SampleListTests {
    private static func at(_ nanoseconds: Int64) -> BootTime { BootTime(nanoseconds: nanoseconds) }

    private static func voltage(_ sequence: UInt64, at nanoseconds: Int64, input: UInt8 = 0) -> Sample {
        Sample(
            sequence: sequence, timestamp: at(nanoseconds),
            measurement: .values(Values(.voltage, [Double(sequence) / 8, 0, 0, 0], input: input)))
    }

    private static func acceleration(_ sequence: UInt64, at nanoseconds: Int64) -> Sample {
        Sample(
            sequence: sequence, timestamp: at(nanoseconds),
            measurement: .values(Values(.acceleration, [Double(sequence), -Double(sequence), 9.75, 0])))
    }

    /// A run of accelerations a millisecond apart.
    private static func run(from sequence: UInt64, _ count: Int) -> SampleRun {
        let numbers = (0..<count).flatMap { place -> [Double] in
            let number = Double(sequence) + Double(place)
            return [number, -number, 9.75]
        }
        var run = SampleRun(
            of: .acceleration, at: (0..<count).map { at((Int64(sequence) + Int64($0)) * 1_000_000) }, numbers: numbers)
        run.firstSequence = sequence
        return run
    }

    @Test("holds what was added, however it came, in whatever order")
    func anything() throws {
        var generator = SeededGenerator(seed: 11)
        var (list, all) = (SampleList(), [Sample]())
        var (sequence, longest) = (0 as UInt64, 0)
        for turn in 0..<2_000 {
            // A hole now and then, and now and then another kind or input.
            if Int.random(in: 0..<20, using: &generator) == 0 { sequence += 3 }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                list.removeAll()
                all = []
            case 1...4:
                let run = Self.run(from: sequence, 12)
                let first = max(0, Int.random(in: -36...12, using: &generator))
                let places = first..<Int.random(in: first...12, using: &generator)
                list.append(run, places)
                all += places.map { run[$0] }
                sequence += UInt64(places.upperBound)
            case 5:
                let sample = Self.voltage(sequence, at: Int64(turn), input: UInt8(turn % 2))
                list.append(sample)
                all.append(sample)
                sequence += 1
            default:
                let sample = Self.acceleration(sequence, at: Int64(sequence) * 1_000_000)
                list.append(sample)
                all.append(sample)
                sequence += 1
            }
            #expect(Array(list) == all && list == SampleList(all) && list.count == all.count)
            if list.column(ofChannel: 0) != nil { longest = max(longest, all.count) }
            let first = Int.random(in: 0...all.count, using: &generator)
            let places = first..<Int.random(in: first...all.count, using: &generator)
            let part = list[places]
            try #require(Array(part) == Array(all[places]) && part.indices == places)
            for channel in 0..<3 {
                #expect(
                    part.indices.map { part.number(at: $0, ofChannel: channel) }
                        == places.map { all[$0].measurement.number(ofChannel: channel) ?? 0 })
            }
        }
        #expect(longest > 12, "no run went on in another")
    }

    @Test("keeps a batch as a run, of which the first and the last came by themselves")
    func batch() throws {
        var list = SampleList()
        for round in 0..<3 {
            let run = Self.run(from: UInt64(round) * 100, 100)
            list.append(run[0])
            list.append(run, 1..<99)
            list.append(run[99])
            let column = try #require(list[10...].column(ofChannel: 1))
            #expect((0..<90).allSatisfy { column.numbers[column.first + $0 * column.step] == run[$0 + 10].y })
            #expect(list.periodNanoseconds == 1_000_000 && list.elementsEqual(run.samples))
            list.removeAll()
            #expect(list.isEmpty && list.first == nil)
        }
    }

    @Test("has a period only if all steps are the same", arguments: [false, true])
    func period(isRun: Bool) {
        func list(_ instants: [Int64]) -> SampleList {
            guard isRun else {
                return SampleList(instants.enumerated().map { Self.voltage(UInt64($0), at: $1) })
            }
            var list = SampleList()
            let numbers = [Double](repeating: 1, count: instants.count)
            list.append(SampleRun(of: .voltage, at: instants.map(Self.at), numbers: numbers), instants.indices)
            return list
        }
        #expect(list([]).periodNanoseconds == nil && list([7]).periodNanoseconds == nil)
        #expect(list([7, 9]).periodNanoseconds == 2)
        #expect(list([7, 9, 11, 13]).periodNanoseconds == 2)
        #expect(list([7, 9, 11, 14]).periodNanoseconds == nil)
        #expect(list([6, 9, 11, 13]).periodNanoseconds == nil)
        #expect(list([6, 9, 11, 13])[1...].periodNanoseconds == 2)
        #expect(list([6, 9, 11, 13, 16])[1..<4].periodNanoseconds == 2)
        #expect(list([.min, 0, .max]).periodNanoseconds == nil)
        #expect(list([6, 9, 11, 13]).stepsNanoseconds == [3, 2, 2])
        #expect(list([6, 9, 11, 13])[2...].stepsNanoseconds == [2])
        #expect(list([6, 9, 9 + 1 << 32]).stepsNanoseconds == nil && list([9, 6]).stepsNanoseconds == nil)
    }
}

extension Sample {
    fileprivate var y: Double? { measurement.number(ofChannel: 1) }
}
