internal import Readings

/// What a resource measured, in bounded memory: each sample; or, once there are too many, the smallest and the largest of several.
///
/// Entries are in the order of time. A value is `nan` where it is unknown.
struct Series {
    /// How many samples are merged at first: fewer would not make it smaller, since two numbers take the place of one.
    private static let firstFold = 4

    /// The numbers of a sample.
    let columnCount: Int
    /// The samples of an entry; if there are several, the time since the sample before becomes a further column, in seconds.
    private(set) var samplesPerEntry = 1
    /// When each entry begins.
    private(set) var times: [Int64] = []
    /// For each entry and column one number, or two if it has several samples: the smallest and the largest.
    private(set) var numbers: [Float] = []
    /// Whether no line leads from the entry before to this one.
    private(set) var breaks: [Bool] = []
    /// The entry that is still being gathered, if entries have several samples.
    private var open: [Float] = []
    private var openTime: Int64 = 0
    private var openCount = 0
    private var isOpenBroken = false
    private var lastTime: Int64?

    init(columnCount: Int) { self.columnCount = columnCount }

    /// The columns of an entry.
    var storedColumns: Int { samplesPerEntry == 1 ? columnCount : columnCount + 1 }
    /// The numbers of an entry.
    var width: Int { samplesPerEntry == 1 ? columnCount : 2 * storedColumns }
    /// How many numbers are kept, times included.
    var cost: Int { numbers.count + times.count }
    var count: Int { times.count }

    /// The time since the sample before, in seconds: the shortest and the longest of an entry's samples; `nan` after a break.
    func spacing(_ entry: Int) -> (low: Float, high: Float) {
        guard samplesPerEntry == 1 else {
            let place = entry * width + 2 * columnCount
            return (numbers[place], numbers[place + 1])
        }
        guard entry > 0, !breaks[entry] else { return (.nan, .nan) }
        let spacing = Float(times[entry] - times[entry - 1]) / 1e9
        return (spacing, spacing)
    }

    /// Adds a sample that is later than the one before; returns false for one that is not.
    mutating func add(_ values: SIMD8<Float>, at time: Int64, breaks isBroken: Bool) -> Bool {
        if let lastTime, time <= lastTime { return false }
        defer { lastTime = time }
        guard samplesPerEntry > 1 else {
            times.append(time)
            breaks.append(isBroken || lastTime == nil)
            for column in 0..<columnCount { numbers.append(values[column]) }
            return true
        }
        let spacing = isBroken ? .nan : lastTime.map { Float(time - $0) / 1e9 } ?? .nan
        if openCount == 0 {
            openTime = time
            isOpenBroken = false
            open = Array(repeating: .nan, count: width)
        }
        isOpenBroken = isOpenBroken || isBroken
        for column in 0...columnCount {
            Self.widen(&open, column, column < columnCount ? values[column] : spacing)
        }
        openCount += 1
        if openCount == samplesPerEntry { close() }
        return true
    }

    /// Ends the entry that is being gathered.
    mutating func close() {
        guard openCount > 0 else { return }
        times.append(openTime)
        breaks.append(isOpenBroken)
        numbers += open
        openCount = 0
    }

    /// Merges entries so that about half of the memory is needed.
    mutating func fold() {
        close()
        let factor = samplesPerEntry == 1 ? Self.firstFold : 2
        let (oldWidth, isSingle) = (width, samplesPerEntry == 1)
        var folded = Self(columnCount: columnCount)
        folded.samplesPerEntry = samplesPerEntry * factor
        for entry in times.indices {
            if entry % factor == 0 {
                folded.times.append(times[entry])
                folded.breaks.append(breaks[entry])
                folded.numbers += Array(repeating: .nan, count: folded.width)
            }
            let last = folded.times.count - 1
            folded.breaks[last] = folded.breaks[last] || breaks[entry]
            let base = last * folded.width
            if isSingle {
                for column in 0..<columnCount {
                    Self.widen(&folded.numbers, column, numbers[entry * oldWidth + column], base: base)
                }
                guard entry > 0, !breaks[entry] else { continue }
                Self.widen(
                    &folded.numbers, columnCount, Float(times[entry] - times[entry - 1]) / 1e9, base: base)
            } else {
                for place in 0..<oldWidth {
                    Self.widen(&folded.numbers, place / 2, numbers[entry * oldWidth + place], base: base)
                }
            }
        }
        folded.lastTime = lastTime
        self = folded
    }

    /// Has the two numbers of a column include another one.
    private static func widen(_ numbers: inout [Float], _ column: Int, _ value: Float, base: Int = 0) {
        guard !value.isNaN else { return }
        let low = base + 2 * column
        if !(numbers[low] <= value) { numbers[low] = value }
        if !(numbers[low + 1] >= value) { numbers[low + 1] = value }
    }
}
