public import Readings

/// Brings the readings of several resources to the times of one of them.
///
/// Each reading of that one, the *lead*, carries what its *companions* measured at the same moment.
/// What an alignment decides:
/// - A value is that of a companion's reading with the same time (exact), or lies between the two readings around it
///   (interpolated). Nothing is extrapolated, and nothing is interpolated across a gap: there the value is absent, and the gap
///   is reported in the stream like any other.
/// - A reading of the lead waits until each companion has a reading that is not older. It waits only as long as such a reading
///   can be expected: for a time (the companion's reach) after the companion's last reading arrived. So it is late by one
///   period of the slowest companion.
/// - Readings and gaps leave in the order in which they came. The number of readings that wait, or are kept of a companion, is
///   limited: if too many wait, the oldest leaves without its companions. Gaps of one request and cause that wait one behind the
///   other are one gap, so their number is limited as well, however long nothing can leave.
///
/// Pure: readings, gaps and the time come in as arguments, and `ready` returns what can leave.
public struct Alignment: Sendable {
    /// A reading of the lead, or a gap of any of them; they leave in order.
    public enum Item: Equatable, Sendable {
        /// A reading of the lead.
        case reading(Sample)
        /// Readings are missing.
        case loss(Loss)
    }

    /// A gap, and whose it is.
    public struct Loss: Equatable, Sendable {
        /// What is missing.
        public fileprivate(set) var gap: Gap
        /// The index of the companion that has lost readings; nil: the lead has.
        public let companion: Int?

        /// Whether one gap can report both; it keeps their number if that is known.
        fileprivate func isLike(_ other: Loss) -> Bool {
            companion == other.companion && gap.cause == other.gap.cause
                && (gap.count == nil) == (other.gap.count == nil)
        }
    }

    /// The value of a companion at the time of a reading.
    package enum Value: Equatable, Sendable {
        /// Measured at that time.
        case exact(Measurement)
        /// Between two readings.
        case interpolated(Measurement)
        /// Unknown: before the first reading, in a gap, or later than the last reading of a companion that fell silent.
        case absent

        /// nil where it is absent.
        package var measurement: Measurement? {
            switch self {
            case .exact(let measurement), .interpolated(let measurement): measurement
            case .absent: nil
            }
        }
    }

    /// What leaves next, oldest first: readings of the lead, each with a value of each companion, and gaps.
    public struct Ready: Equatable, Sendable {
        /// Readings of the lead.
        public var readings = SampleList()
        /// For each companion, a value at the time of each reading.
        package var values: [[Value]]
        /// What is missing.
        public var losses: [Loss] = []
        /// The number of items that leave the queue.
        fileprivate var count: Int { readings.count + losses.count }
    }

    /// The most readings in one reply.
    public static let readingsPerReply = 512

    private let most: Int
    private var items = Backlog<Item>()
    private var companions: [Companion]

    /// An alignment that keeps about so many readings of the lead at most, and so many of each companion.
    public init(most: Int, ofCompanions mosts: [Int]) {
        self.most = max(1, most)
        companions = mosts.map { Companion(most: max(2, $0)) }
    }

    /// Readings of the lead arrived, or are missing before, between or behind others; all of them oldest first.
    public mutating func take(_ readings: SampleList, _ gaps: [Gap] = []) {
        var gaps = gaps[...]
        for reading in readings {
            while let gap = gaps.first, gap.from < reading.timestamp {
                append(Loss(gap: gap, companion: nil))
                gaps.removeFirst()
            }
            items.append(.reading(reading))
        }
        for gap in gaps { append(Loss(gap: gap, companion: nil)) }
    }

    /// Readings of a companion arrived, oldest first; the next one is expected within its reach.
    public mutating func take(
        _ readings: SampleList, of companion: Int, reachNanoseconds: Int64, now: BootTime
    ) {
        for reading in readings { companions[companion].append(reading, reachNanoseconds) }
        if !readings.isEmpty { companions[companion].expectedUntil = now + reachNanoseconds }
    }

    /// A companion has lost readings.
    public mutating func take(_ gap: Gap, of companion: Int) {
        append(Loss(gap: gap, companion: companion))
        companions[companion].miss(gap)
    }

    private mutating func append(_ loss: Loss) {
        var index = items.count - 1
        while index >= 0, case .loss(var waiting) = items[index] {
            if waiting.isLike(loss) {
                waiting.gap.formUnion(loss.gap)
                items[index] = .loss(waiting)
                return
            }
            index -= 1
        }
        items.append(.loss(loss))
    }

    /// The most bytes of gaps that wait behind the last reading, with so many companions.
    public static func lossBytes(companions: Int) -> Int {
        2 * (companions + 1) * Gap.Cause.allCases.count * MemoryLayout<Item>.stride
    }

    /// A companion's device is gone, or was opened again: no reading of it is expected, and its next one does not continue the
    /// last.
    public mutating func interrupt(_ companion: Int) { companions[companion].interrupt() }

    /// When the oldest waiting reading leaves without its companions; nil: nothing waits.
    public var deadline: BootTime? {
        guard case .reading(let reading)? = items.first else { return nil }
        return companions.reduce(nil) { latest, companion in
            let instant = companion.instantToWaitUntil(for: reading.timestamp)
            return latest.map { max($0, instant ?? $0) } ?? instant
        }
    }

    /// Whether something waits, and as much as may wait or be kept of a companion is there.
    public var isFull: Bool { items.count > 0 && (items.count >= most || companions.contains(where: \.isFull)) }

    /// What can leave now, or all that waits, if nothing more is to come; nil: nothing can.
    ///
    /// Without a time, a reading leaves only if each companion has one that is not older, whatever can be expected.
    public func ready(now: BootTime?, isLast: Bool = false) -> Ready? {
        var ready = Ready(values: Array(repeating: [], count: companions.count))
        while ready.count < items.count, ready.readings.count < Self.readingsPerReply {
            switch items[ready.count] {
            case .loss(let loss): ready.losses.append(loss)
            case .reading(let reading):
                let time = reading.timestamp
                let mustWait = companions.contains { companion in
                    guard let now else { return !companion.reaches(time) }
                    return companion.instantToWaitUntil(for: time).map { now < $0 } ?? false
                }
                if mustWait && !isLast && items.count - ready.count <= most { return ready.count > 0 ? ready : nil }
                ready.readings.append(reading)
                for index in companions.indices { ready.values[index].append(companions[index].value(at: time)) }
            }
        }
        return ready.count > 0 ? ready : nil
    }

    /// What was ready has left.
    public mutating func didSend(_ ready: Ready) {
        items.dropFirst(ready.count)
        guard let last = ready.readings.last else { return }
        for index in companions.indices { companions[index].forget(before: last.timestamp) }
    }
}

/// A companion's readings around the times for which the lead may still need a value.
private struct Companion {
    private struct Point {
        let sequence: UInt64
        let timestamp: BootTime
        let measurement: Measurement
        /// Whether nothing is missing between the one before and this one.
        var continues: Bool
    }

    /// Until when its next reading is expected; nil: none is.
    var expectedUntil: BootTime?
    private let most: Int
    private var points = Backlog<Point>()
    /// When readings may be missing beyond the newest point.
    private var gaps: [(from: BootTime, until: BootTime)] = []
    /// How many such times are kept apart.
    private static let mostGaps = 8
    /// Whether the next reading does not continue the last.
    private var isInterrupted = false

    init(most: Int) { self.most = most }

    mutating func append(_ reading: Sample, _ reachNanoseconds: Int64) {
        // The source's clock has jumped back.
        if let last = points.last, reading.timestamp <= last.timestamp { points.removeAll() }
        let continues = points.last.map { last in
            !isInterrupted && reading.sequence > last.sequence
                && reading.timestamp - last.timestamp <= reachNanoseconds
                && !gaps.contains { $0.until > last.timestamp && $0.from < reading.timestamp }
        }
        isInterrupted = false
        gaps.removeAll { $0.until <= reading.timestamp }
        if points.count >= most { points.dropFirst(1) }
        points.append(
            Point(
                sequence: reading.sequence, timestamp: reading.timestamp, measurement: reading.measurement,
                continues: continues ?? false))
    }

    mutating func miss(_ gap: Gap) {
        guard let last = points.last, gap.until <= last.timestamp else { return keep(gap) }
        // The gap was reported after the reading that followed it.
        for index in stride(from: points.count - 1, to: 0, by: -1) where gap.until > points[index - 1].timestamp {
            if gap.from < points[index].timestamp { points[index].continues = false }
        }
    }

    /// Few, however many gaps come before the next reading: the last time then covers the rest.
    private mutating func keep(_ gap: Gap) {
        guard gaps.count == Self.mostGaps, let last = gaps.popLast() else { return gaps.append((gap.from, gap.until)) }
        gaps.append((min(last.from, gap.from), max(last.until, gap.until)))
    }

    mutating func interrupt() {
        isInterrupted = true
        expectedUntil = nil
    }

    var isFull: Bool { points.count >= most }

    /// Whether it has a reading that is not older.
    func reaches(_ time: BootTime) -> Bool { points.last.map { $0.timestamp >= time } ?? false }

    /// nil: its value at that time is known, or never will be.
    func instantToWaitUntil(for time: BootTime) -> BootTime? {
        guard let last = points.last, last.timestamp < time else { return nil }
        return expectedUntil
    }

    func value(at time: BootTime) -> Alignment.Value {
        let next = points.partition { $0.timestamp > time }
        guard next > 0 else { return .absent }
        let before = points[next - 1]
        if before.timestamp == time { return .exact(before.measurement) }
        guard next < points.count, points[next].continues else { return .absent }
        let after = points[next]
        let fraction = Double(time - before.timestamp) / Double(after.timestamp - before.timestamp)
        return before.measurement.interpolated(to: after.measurement, at: fraction).map { .interpolated($0) } ?? .absent
    }

    /// Drops the points before a time, except the last, from which to interpolate.
    mutating func forget(before time: BootTime) {
        points.dropFirst(max(0, points.partition { $0.timestamp > time } - 1))
    }
}

/// A queue: elements come at the end and leave at the beginning, in constant time on average.
private struct Backlog<Element: Sendable>: Sendable {
    private var storage: [Element] = []
    private var start = 0

    var count: Int { storage.count - start }
    var first: Element? { start < storage.count ? storage[start] : nil }
    var last: Element? { start < storage.count ? storage.last : nil }

    subscript(index: Int) -> Element {
        get { storage[start + index] }
        set { storage[start + index] = newValue }
    }

    mutating func append(_ element: Element) { storage.append(element) }

    mutating func dropFirst(_ count: Int) {
        start += count
        guard start > 64, start * 2 > storage.count else { return }
        storage.removeFirst(start)
        start = 0
    }

    mutating func removeAll() {
        storage.removeAll(keepingCapacity: true)
        start = 0
    }

    /// The index of the first element for which a condition holds, given that it holds for all elements behind it.
    func partition(_ holds: (Element) -> Bool) -> Int { (0..<count).partition { holds(self[$0]) } }
}

extension Range<Int> {
    /// The first number for which a condition holds, given that it holds for all behind it; the end if there is none.
    func partition(_ holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
