internal import Readings

/// What a resource measured, in bounded memory: each sample; or, once there are too many, the smallest and the largest of several.
///
/// Entries are in the order of time. A value is `nan` where it is unknown. The samples of an entry are of one piece: no line leads
/// across a gap, however many samples a point stands for.
struct Series {
    /// How many samples are merged at first: fewer would not make it smaller, since two numbers take the place of one.
    private static let firstFold = 4
    /// With more pieces than one in so many entries, and than a few, entries are merged across gaps too: memory is bounded, and
    /// single samples between gaps cannot be distinguished anyway.
    private static let entriesPerPiece = 16
    private static let fewPieces = 4

    /// The numbers of a sample.
    let columnCount: Int
    /// Whether values are directions in degrees; then the smallest is at least 0 and below 360, and the largest lies clockwise of
    /// it, up to 360 degrees further.
    let isCircular: Bool
    /// The most samples of an entry; if there are several, the time since the sample before becomes a further column, in seconds.
    private(set) var samplesPerEntry = 1
    /// When each entry begins.
    private(set) var times: [Int64] = []
    /// For each entry and column one number, or two if it has several samples: the smallest and the largest.
    private(set) var numbers: [Float] = []
    /// Whether no line leads from the entry before to this one.
    private(set) var breaks: [Bool] = []
    /// How many samples each entry has.
    private(set) var counts: [Int] = []
    private var pieces = 0
    private var mostPieces = Series.fewPieces
    /// Whether the latest entry was merged across a gap, so that no line leads on from it.
    private var breaksNext = false
    /// The time of the latest sample of all.
    private var lastTime: Int64?

    init(columnCount: Int, isCircular: Bool = false) { (self.columnCount, self.isCircular) = (columnCount, isCircular) }

    var storedColumns: Int { samplesPerEntry == 1 ? columnCount : columnCount + 1 }
    /// The numbers of an entry.
    var width: Int { samplesPerEntry == 1 ? columnCount : 2 * storedColumns }
    /// How many numbers are kept, times and counts included.
    var cost: Int { numbers.count + times.count + (samplesPerEntry == 1 ? 0 : counts.count) }
    var count: Int { times.count }

    /// Adds a sample, unless it is not later than the one before.
    mutating func add(_ values: SIMD8<Float>, at time: Int64, breaks isBroken: Bool) {
        if let lastTime, time <= lastTime { return }
        let spacing: Float = isBroken ? .nan : lastTime.map { Float(time - $0) / 1e9 } ?? .nan
        let isBroken = isBroken || lastTime == nil
        lastTime = time
        guard samplesPerEntry > 1 else {
            begin(at: time, isBroken)
            counts[count - 1] = 1
            for column in 0..<columnCount { numbers[(count - 1) * width + column] = values[column] }
            return
        }
        enter(at: time, isBroken, samples: 1)
        for column in 0..<columnCount { widen(column, values[column], values[column]) }
        widen(columnCount, spacing, spacing)
    }

    /// Merges entries so that about half of the memory is needed.
    mutating func fold() {
        var folded = Self(columnCount: columnCount, isCircular: isCircular)
        folded.samplesPerEntry = samplesPerEntry * (samplesPerEntry == 1 ? Self.firstFold : 2)
        folded.mostPieces = max(Self.fewPieces, count / Self.entriesPerPiece)
        for entry in times.indices {
            folded.enter(at: times[entry], breaks[entry], samples: counts[entry])
            for column in 0..<columnCount {
                let value = extremes(of: column, entry)
                folded.widen(column, value.low, value.high)
            }
            let spacing = spacing(entry)
            folded.widen(columnCount, spacing.low, spacing.high)
        }
        folded.lastTime = lastTime
        assert(folded.counts.reduce(0, +) == counts.reduce(0, +), "No sample is lost.")
        assert(folded.numbers.count == folded.count * folded.width)
        self = folded
    }

    /// The smallest and the largest value of a column.
    private func extremes(of column: Int, _ entry: Int) -> (low: Float, high: Float) {
        guard samplesPerEntry > 1 else {
            return (numbers[entry * width + column], numbers[entry * width + column])
        }
        return (numbers[entry * width + 2 * column], numbers[entry * width + 2 * column + 1])
    }

    /// The time since the sample before, in seconds: the shortest and the longest of an entry's samples; `nan` after a break.
    private func spacing(_ entry: Int) -> (low: Float, high: Float) {
        guard samplesPerEntry == 1 else { return extremes(of: columnCount, entry) }
        guard entry > 0, !breaks[entry] else { return (.nan, .nan) }
        let spacing = Float(times[entry] - times[entry - 1]) / 1e9
        return (spacing, spacing)
    }

    /// Has the latest entry take so many samples more, or begins another one.
    private mutating func enter(at time: Int64, _ isBroken: Bool, samples: Int) {
        let isFull = counts.last.map { $0 + samples > samplesPerEntry } ?? true
        if isFull || isBroken && pieces < mostPieces {
            begin(at: time, isBroken)
        } else if isBroken {
            breaks[count - 1] = true
            breaksNext = true
        }
        counts[count - 1] += samples
        assert(counts[count - 1] <= samplesPerEntry)
    }

    private mutating func begin(at time: Int64, _ isBroken: Bool) {
        assert(times.last.map { time > $0 } ?? true, "Entries are in the order of time.")
        times.append(time)
        breaks.append(isBroken || breaksNext)
        counts.append(0)
        if isBroken { pieces += 1 }
        breaksNext = false
        numbers += repeatElement(.nan, count: width)
    }

    /// Has the extremes of a column in the latest entry include others.
    private mutating func widen(_ column: Int, _ low: Float, _ high: Float) {
        guard !low.isNaN else { return }
        let index = numbers.count - width + 2 * column
        guard !numbers[index].isNaN else {
            (numbers[index], numbers[index + 1]) = (low, high)
            return
        }
        guard isCircular, column < columnCount else {
            numbers[index] = min(numbers[index], low)
            numbers[index + 1] = max(numbers[index + 1], high)
            return
        }
        // The turn in which their middles are nearest to each other.
        let distance = (numbers[index] + numbers[index + 1] - low - high) / 2
        let turns = 360 * (distance / 360).rounded()
        let (least, greatest) = (min(numbers[index], low + turns), max(numbers[index + 1], high + turns))
        let start = greatest - least >= 360 ? 0 : Float(Direction.turned(Double(least)))
        (numbers[index], numbers[index + 1]) = (start, start + min(360, greatest - least))
    }
}
