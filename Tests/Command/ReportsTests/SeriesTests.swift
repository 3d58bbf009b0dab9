import Readings
import Testing

@testable import Reports

struct SeriesTests {
    private static func vector(_ numbers: Float...) -> SIMD8<Float> {
        var vector = SIMD8<Float>(repeating: .nan)
        for (index, number) in numbers.enumerated() { vector[index] = number }
        return vector
    }

    @Test("folded entries have the extremes of their samples, and those of the times between them")
    func folding() {
        var series = Series(columnCount: 1)
        for index in 0..<10 as Range<Int64> {
            series.add(Self.vector(Float(index * index)), at: index * index * 1_000_000, breaks: index == 5)
        }
        let squares: [Float] = (0..<10).map { Float($0 * $0) }
        #expect(series.numbers == squares)
        series.fold()
        #expect(series.samplesPerEntry == 4)
        #expect(series.times == [0, 16_000_000, 25_000_000, 81_000_000])
        #expect(series.breaks == [true, false, true, false] && series.counts == [4, 1, 4, 1])
        // No spacing is known before the first sample and before the sixth.
        let first: [Float] = [0, 9, 0.001, 0.005, 16, 16, 0.007, 0.007, 25, 64, 0.011, 0.015]
        #expect(series.numbers == first + [81, 81, 0.017, 0.017])
        series.add(Self.vector(100), at: 100_000_000, breaks: false)
        #expect(series.count == 4 && series.counts[3] == 2)
        series.fold()
        #expect(series.samplesPerEntry == 8)
        #expect(series.times == [0, 25_000_000] && series.counts == [5, 6] && series.breaks == [true, true])
        #expect(series.numbers == [0, 16, 0.001, 0.007, 25, 100, 0.011, 0.019])
    }

    @Test("with very many gaps, entries are merged across them, and no line leads to such an entry or on from it")
    func manyPieces() {
        var series = Series(columnCount: 1)
        for index in 0..<1_000 as Range<Int64> {
            series.add(Self.vector(Float(index)), at: index, breaks: index % 2 == 0)
        }
        for _ in 0..<4 {
            let before = series.cost
            series.fold()
            #expect(series.cost < before)
        }
        #expect(series.counts.reduce(0, +) == 1_000 && series.count < 200)
        #expect(series.breaks.suffix(series.count / 2).allSatisfy { $0 })
    }

    @Test("a sample that is not later than the one before is not taken, in single and in folded entries")
    func backwards() {
        var series = Series(columnCount: 1)
        series.add(Self.vector(1), at: 5, breaks: false)
        series.add(Self.vector(2), at: 5, breaks: false)
        #expect(series.numbers == [1])
        series.fold()
        series.add(Self.vector(2), at: 4, breaks: false)
        #expect(series.counts == [1])
        series.add(Self.vector(3), at: 6, breaks: false)
        #expect(series.counts == [2])
    }

    @Test("unknown values stay unknown, and take nothing from known ones")
    func unknown() {
        var series = Series(columnCount: 2)
        for index in 0..<8 as Range<Int64> {
            series.add(Self.vector(.nan, index == 2 ? 7 : .nan), at: index, breaks: false)
        }
        series.fold()
        #expect(series.numbers[0].isNaN && series.numbers[1].isNaN)
        #expect(series.numbers[2] == 7 && series.numbers[3] == 7)
        #expect(series.numbers[8].isNaN)
    }

    @Test(
        "packed numbers are those of the series, within a step of their block, also around a long pause",
        arguments: [1, 5, 1_024, 1_025, 5_000])
    func packing(count: Int) throws {
        var series = Series(columnCount: 2)
        var time: Int64 = 0
        for index in 0..<count {
            let isPause = index == 700
            time += isPause ? 86_400_000_000_000 : 1_000_000 + Int64(index % 7) * 1_000
            let value = Float(index % 97) - 48.5
            series.add(Self.vector(value, index % 3 == 0 ? .nan : 1e6 * value), at: time, breaks: isPause)
        }
        let entries = Unpacked(PackedSeries(series).words, columns: 2, count: count)
        for index in 0..<count {
            #expect(abs(entries.times[index] - Double(series.times[index]) / 1e9) < 1e-6)
            #expect(entries.breaks[index] == series.breaks[index])
            for column in 0..<2 {
                let (wanted, found) = (series.numbers[2 * index + column], entries.columns[column][index])
                #expect(
                    wanted.isNaN ? found.isNaN : abs(Double(wanted) - found) <= (column == 0 ? 1 : 1e6) * 97 / 65_534)
            }
        }
    }

    /// What `data.js` reads of the words of single entries; the browser's tests read the rest.
    private struct Unpacked {
        var times: [Double] = []
        var breaks: [Bool] = []
        var columns: [[Double]]

        init(_ words: [UInt32], columns columnCount: Int, count: Int) {
            columns = Array(repeating: [], count: columnCount)
            var rest = words[...]
            func number() -> Double {
                let bits = UInt64(rest.removeFirst())
                return Double(bitPattern: bits | UInt64(rest.removeFirst()) << 32)
            }
            while let size = rest.popFirst().map({ Int($0) }) {
                let (first, last, least, step) = (number(), number(), number(), number())
                let scales = (0..<columnCount).map { _ in (number(), number()) }
                let bits = Array(rest.prefix((size + 31) / 32))
                rest = rest.dropFirst(bits.count)
                func codes() -> [UInt32] {
                    let words = rest.prefix((size + 1) / 2)
                    rest = rest.dropFirst(words.count)
                    return Array(words.flatMap { [$0 & 0xFFFF, $0 >> 16] }.prefix(size))
                }
                let even = size > 1 ? (last - first) / Double(size - 1) : 0
                for (index, code) in codes().enumerated() {
                    times.append(first + Double(index) * even + least + Double(code) * step)
                    breaks.append(bits[index / 32] >> UInt32(index % 32) & 1 == 1)
                }
                for column in 0..<columnCount {
                    columns[column] += codes().map { code in
                        code == 65_535 ? .nan : scales[column].0 + Double(code) * scales[column].1
                    }
                }
            }
        }
    }
}
