internal import Readings

/// The reply of a lane that is being gathered, or that is complete.
///
/// A lane that gathers nothing completes it with each reading.
struct Batch: Sendable {
    /// Oldest first.
    private(set) var readings = SampleList()
    /// The gaps to send with them.
    private(set) var gaps: [Gap] = []
    /// Whether it is to be sent now.
    private(set) var isComplete = false
    /// When the batch is complete even if it is short; nil: it has no reading, or its lane gathers nothing.
    private(set) var end: BootTime?
    /// A reading that came after its end: the first of the next one.
    private var following: Sample?
    /// The device is lost: what comes goes out alone, since later samples belong to another opening.
    private var hasLostDevice = false
    /// How long the device held its samples back when it last handed some over.
    var latencyNanoseconds: Int64 = 0

    /// How long readings are gathered; 0: not at all.
    private let nanoseconds: Int64
    private let mostReadings: Int
    private let anchor: BootTime?

    /// The first reply for a grant, on the grid of an anchor.
    init(_ grant: Grant, anchor: BootTime?) {
        nanoseconds = grant.batchNanoseconds
        mostReadings = grant.batchReadings
        self.anchor = anchor
    }

    private var isGathering: Bool { nanoseconds > 0 }

    /// Whether nothing has been gathered.
    var isEmpty: Bool { readings.isEmpty && gaps.isEmpty }

    /// Whether nothing has been gathered for the reply after it either.
    var isOver: Bool { isEmpty && following == nil }

    /// Adds a reading; the next one is expected after a step.
    // The reading is moved and not copied: batches take thousands a second.
    mutating func gather(_ reading: consuming Sample, step: Int64) {
        guard isGathering else {
            readings.append(reading)
            isComplete = true
            return
        }
        let timestamp = reading.timestamp
        if let end, timestamp >= end {
            close()
            following = reading
            return
        }
        readings.append(reading)
        assert(readings.count <= mostReadings || isComplete, "a batch has more readings than granted")
        let end = end ?? end(after: timestamp)
        self.end = end
        if timestamp + step >= end || readings.count >= mostReadings || hasLostDevice { close() }
    }

    /// How many samples that come a step apart can be added before the reply is complete; nil: each has to be gathered by itself.
    func room(step: Int64) -> LaneRoom? {
        // Without batches, the reply is complete when the whole burst has been taken.
        guard isGathering else { return LaneRoom(count: .max, before: BootTime(nanoseconds: .max)) }
        guard let end, following == nil, !hasLostDevice else { return nil }
        return LaneRoom(
            count: mostReadings - readings.count - 1,
            before: end + -step)
    }

    mutating func append(_ run: SampleRun, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        readings.append(run, range)
        didAppend()
    }

    mutating func append(_ sample: Sample) {
        readings.append(sample)
        didAppend()
    }

    private mutating func didAppend() {
        assert(!isGathering || readings.count < mostReadings, "there was no room for a sample")
        isComplete = isComplete || !isGathering
    }

    /// Readings are missing: the reply goes out.
    mutating func add(_ gap: Gap) {
        assert(gap.count != 0, "a gap has lost nothing")
        gaps.append(gap)
        isComplete = true
    }

    /// Completes the reply, even if it is short: its time is over, or the device goes away.
    mutating func close() {
        end = nil
        isComplete = isComplete || !readings.isEmpty
    }

    /// The device is lost: later samples belong to another opening.
    mutating func loseDevice() {
        close()
        hasLostDevice = true
    }

    mutating func restart() { hasLostDevice = false }

    /// The reply was sent to each member, and the next one begins.
    mutating func didSend() {
        readings.removeAll()
        if !gaps.isEmpty { gaps.removeAll(keepingCapacity: true) }
        isComplete = false
        end = nil
        if let following {
            readings.append(following)
            end = end(after: following.timestamp)
        }
        following = nil
    }

    /// On a grid that lanes share, unless the device itself delivers batches of about this length: then the batch is one of these.
    private func end(after reading: BootTime) -> BootTime {
        if latencyNanoseconds > nanoseconds / 2 { return reading + nanoseconds }
        return DueTimes.gridPoint(after: reading, anchor: anchor ?? reading, interval: nanoseconds)
    }
}
