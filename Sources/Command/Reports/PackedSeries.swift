internal import Readings

/// The entries of a series as 32-bit words, in a quarter of the room that JSON's numbers take; `data.js` reads them.
///
/// Entries are in blocks. A block has the number of its entries; the times of its first and last entry, in seconds; the least deviation from even times and
/// the step of deviations; for each column its least value and the step of values, all of them IEEE 754 numbers of 64 bits, the low
/// word first; a bit for each entry to which no line leads; and then, two in a word, 16-bit numbers of steps: the times, and each
/// number of each column. 65535 is an unknown value.
struct PackedSeries {
    /// The most entries of a block; the extremes of each block decide its precision.
    static let blockSize = 1_024
    /// A block ends before a pause, which would make its times imprecise; with more pauses than this, only if it has some entries.
    private static let manyPauses = 4_096
    private static let someEntries = 16
    private static let unknown: UInt32 = 65_535
    private static let mostSteps = 65_534.0

    private(set) var words: [UInt32] = []

    init(_ series: Series) {
        words.reserveCapacity(series.cost / 2 + series.cost / 32)
        let least = series.breaks.count { $0 } > Self.manyPauses ? Self.someEntries : 1
        var start = 0
        for entry in series.times.indices where entry > start {
            guard entry - start == Self.blockSize || series.breaks[entry] && entry - start >= least else { continue }
            add(series, start..<entry)
            start = entry
        }
        if start < series.count { add(series, start..<series.count) }
    }

    private mutating func add(_ series: Series, _ block: Range<Int>) {
        assert(!block.isEmpty && block.count <= Self.blockSize)
        words.append(UInt32(block.count))
        let times = block.map { Double(series.times[$0]) / 1e9 }
        let (first, last) = (times[0], times[times.count - 1])
        let even = (last - first) / Double(max(1, times.count - 1))
        let deviations = times.enumerated().map { $1 - first - Double($0) * even }
        let timeScale = Scale(deviations)
        for number in [first, last, timeScale.least, timeScale.step] { words += number.words }
        let numbersOfColumn = series.samplesPerEntry == 1 ? 1 : 2
        let columns = (0..<series.storedColumns).map { column in
            (0..<numbersOfColumn).map { part in
                block.map { Double(series.numbers[$0 * series.width + column * numbersOfColumn + part]) }
            }
        }
        let scales = columns.map { Scale($0.joined()) }
        for scale in scales { words += scale.least.words + scale.step.words }
        addBits(block.map { series.breaks[$0] })
        add(deviations, timeScale)
        for (parts, scale) in zip(columns, scales) { for part in parts { add(part, scale) } }
    }

    private mutating func addBits(_ bits: [Bool]) {
        for start in stride(from: 0, to: bits.count, by: 32) {
            let part = bits[start..<min(bits.count, start + 32)]
            words.append(part.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
        }
    }

    private mutating func add(_ numbers: [Double], _ scale: Scale) {
        for start in stride(from: 0, to: numbers.count, by: 2) {
            let high = start + 1 < numbers.count ? scale.steps(numbers[start + 1]) : Self.unknown
            words.append(scale.steps(numbers[start]) | high << 16)
        }
    }

    /// How the numbers of a block become steps.
    private struct Scale {
        var least = 0.0
        var step = 0.0

        init(_ numbers: some Sequence<Double>) {
            var (low, high) = (Double.infinity, -Double.infinity)
            for number in numbers where number.isFinite { (low, high) = (min(low, number), max(high, number)) }
            guard low <= high else { return }
            least = low
            step = (high - low) / PackedSeries.mostSteps
        }

        func steps(_ number: Double) -> UInt32 {
            guard number.isFinite else { return PackedSeries.unknown }
            guard step > 0 else { return 0 }
            return UInt32(clamping: ((number - least) / step).rounded())
        }
    }
}

extension Double {
    /// Its 64 bits, the low word first.
    var words: [UInt32] {
        [UInt32(truncatingIfNeeded: bitPattern), UInt32(truncatingIfNeeded: bitPattern >> 32)]
    }
}
