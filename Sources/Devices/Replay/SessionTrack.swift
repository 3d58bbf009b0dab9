internal import Readings

/// The events of one resource in one session, on the recorder's clock, sorted as they arrive.
///
/// In the file, a gap comes before the readings it was sent with; here it comes before the first later reading. A state
/// stays at the place where it was reported; if it has no time, as in older output of `sensorctl watch`, the time of
/// the event before it is used.
struct SessionTrack {
    let resource: Int
    private(set) var events: [RecordedEvent] = []
    /// What is wrong with the latest line.
    private(set) var fault: String?

    private var waitingGaps: [Gap] = []
    private var lastSequence: Int64?
    private var lastState: ResourceState?
    private var interval: Int64?

    init(resource: Int) { self.resource = resource }

    /// The time of the first event; an initial state does not count.
    var start: Int64? {
        for event in events {
            switch event.content {
            // A sample counts by its timestamp, since the state before it may have been reported later.
            case .sample: return event.stampNanoseconds
            case .gap: return event.offsetNanoseconds
            case .state(.starting), .state(.active), .opened, .interval: continue
            case .state: if event.offsetNanoseconds > .min { return event.offsetNanoseconds }
            }
        }
        return nil
    }

    mutating func add(_ measurement: Measurement, _ sequence: Int64, at stamp: Int64) {
        guard stamp >= 0 else { return fault = "a time before the host's start" }
        let earlier = waitingGaps.prefix { $0.from.nanoseconds < stamp }
        for gap in earlier { append(min(gap.until.nanoseconds, stamp), .gap(gap)) }
        waitingGaps.removeFirst(earlier.count)
        let sample = RecordedEvent.Content.sample(sequence: UInt64(clamping: sequence), measurement)
        if let last = lastSequence, sequence <= last {
            append(stamp, .opened)
        } else if let index = indexBeforeOutage(stamp) {
            lastSequence = sequence
            let offset = max(stamp, index > 0 ? events[index - 1].offsetNanoseconds : stamp)
            return events.insert(RecordedEvent(offset, stamp: stamp, sample), at: index)
        }
        lastSequence = sequence
        append(stamp, stamp: stamp, sample)
    }

    /// Where to insert the last reading before an outage.
    ///
    /// A client with an interval receives that reading when the device is found silent, after the state that reports
    /// it, although it was measured before.
    private func indexBeforeOutage(_ stamp: Int64) -> Int? {
        var found: Int?
        for index in events.indices.reversed() {
            guard case .state(let state) = events[index].content, events[index].offsetNanoseconds > stamp else { break }
            switch state {
            case .unavailable, .released: found = index
            default: return nil
            }
        }
        return found
    }

    mutating func add(_ gap: Gap) {
        guard gap.from.nanoseconds >= 0 else { return fault = "a time before the host's start" }
        waitingGaps.append(gap)
    }

    mutating func add(_ state: ResourceState, at instant: Int64?) {
        // A state is reported again when another property of the resource has changed, and in each further file.
        guard state != lastState else { return }
        lastState = state
        appendGaps()
        append(instant ?? .min, .state(state))
    }

    mutating func add(intervalNanoseconds: Int64, isDecimated: Bool) {
        guard interval != intervalNanoseconds else { return }
        interval = intervalNanoseconds
        append(.min, .interval(nanoseconds: intervalNanoseconds, isDecimated: isDecimated))
    }

    /// Ends the track.
    ///
    /// If no line states the state at the first sample, the resource was active.
    mutating func end() {
        appendGaps()
        for (index, event) in events.enumerated() {
            if case .state = event.content { return }
            guard case .sample = event.content else { continue }
            return events.insert(RecordedEvent(event.offsetNanoseconds, .state(.active)), at: index)
        }
    }

    /// The events on the clock of the whole recording, in which this session begins at `base`.
    func events(from start: Int64, movedTo base: Int64, asFirst: Bool) -> [RecordedEvent] {
        func moved(_ instant: Int64) -> Int64 { base + max(0, instant == .min ? 0 : instant - start) }
        let opening = asFirst ? [] : [RecordedEvent(base, .opened)]
        return opening
            + events.map { event in
                var content = event.content
                if case .gap(var gap) = content {
                    gap.from = BootTime(nanoseconds: base) + (gap.from.nanoseconds - start)
                    gap.until = BootTime(nanoseconds: base) + (gap.until.nanoseconds - start)
                    content = .gap(gap)
                }
                let stamp = event.stampNanoseconds == .min ? 0 : event.stampNanoseconds - start
                return RecordedEvent(moved(event.offsetNanoseconds), stamp: base + stamp, content)
            }
    }

    private mutating func appendGaps() {
        for gap in waitingGaps { append(gap.until.nanoseconds, .gap(gap)) }
        waitingGaps = []
    }

    /// Appends an event at its instant, but never before the one ahead of it.
    private mutating func append(_ instant: Int64, stamp: Int64? = nil, _ content: RecordedEvent.Content) {
        let last = events.last?.offsetNanoseconds ?? .min
        let first = events.first { $0.offsetNanoseconds > .min }?.offsetNanoseconds ?? instant
        guard instant == .min || abs(instant &- first) < Recording.longestNanoseconds else {
            return fault = "its time is years away from those of the lines before"
        }
        events.append(RecordedEvent(max(last, instant), stamp: stamp, content))
        assert(
            events.count < 2 || events[events.count - 2].offsetNanoseconds <= events[events.count - 1].offsetNanoseconds
        )
    }
}
