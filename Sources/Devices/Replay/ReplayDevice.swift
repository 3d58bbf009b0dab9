public import Devices
internal import Platform
public import Readings

/// A device that replays a track of a recording, with its gaps and states.
///
/// The timestamps are the recorded ones plus one constant for all tracks; the sequence numbers are the recorded ones.
/// Requests therefore see what they would have seen then: decimated, batched, with the same gaps and states. The device
/// itself never fails: it reports a recorded outage instead of having one, because retries would come at other times.
/// At the end it becomes unavailable; if the recording repeats, it does so for an instant, so that no reading seems to
/// follow the last one. A device that is opened while others are being replayed starts at their position.
public struct ReplayDevice: DeviceDriver, ~Copyable {
    private let track: RecordedTrack
    private let timeline: ReplayTimeline
    private let description: String
    private let usualPace: (intervalNanoseconds: Int64?, isDecimated: Bool)
    private var pace: (intervalNanoseconds: Int64?, isDecimated: Bool)
    private let shortestNanoseconds: Int64
    private let now: @Sendable () -> BootTime
    private var latencyNanoseconds: Int64 = 0
    private var start: BootTime?
    private var next = 0
    /// The state in which it starts, reported at once.
    ///
    /// From then on the device reports its own states, and silence has no meaning.
    private var standing: ResourceState?

    /// Creates a closed device that replays a track.
    public init(_ track: RecordedTrack, on timeline: ReplayTimeline) {
        self.init(track, on: timeline) { BootTime(nanoseconds: Clock.bootNanoseconds()) }
    }

    init(_ track: RecordedTrack, on timeline: ReplayTimeline, now: @escaping @Sendable () -> BootTime) {
        self.track = track
        self.timeline = timeline
        self.now = now
        description = "a recording of \(track.sampleCount) samples"
        usualPace = track.usualPace
        pace = usualPace
        shortestNanoseconds = track.shortestIntervalNanoseconds
    }

    /// The profile has the recorded interval.
    public mutating func probe() -> DeviceProfile { profile }

    /// Begins at the present position of the recording: its start, if no other track is being replayed.
    public mutating func open(_ demand: Demand) -> DeviceProfile {
        close()
        let instant = now()
        let start = timeline.join(at: instant)
        self.start = start
        latencyNanoseconds = demand.latencyNanoseconds
        next = 0
        pace = usualPace
        // The others may have started a moment earlier.
        skip(before: (instant - start) - Self.toleranceNanoseconds)
        return profile
    }

    /// The recorded interval is fixed; the demand only decides how long events may be held back.
    public mutating func adjust(to demand: Demand, _ intake: inout Intake) -> DeviceProfile {
        latencyNanoseconds = demand.latencyNanoseconds
        return profile
    }

    /// When the next event is due, or the last one of those that may be held back.
    public var readiness: Readiness {
        guard let start else { return .at(BootTime(nanoseconds: .max)) }
        if standing != nil { return .at(start) }
        guard next < track.events.count else { return .at(end(start) ?? BootTime(nanoseconds: .max)) }
        return .at(start + track.events[lastOfHandover].offsetNanoseconds)
    }

    /// Delivers due events, and finally the end.
    public mutating func read(into intake: inout Intake) {
        guard let start else { return }
        let instant = now()
        if let standing { intake.append(standing) }
        standing = nil
        while next < track.events.count, start + track.events[next].offsetNanoseconds <= instant {
            deliver(track.events[next], start, &intake)
            next += 1
        }
        guard next == track.events.count, let end = end(start), end <= instant else { return }
        finish(start, at: instant, &intake)
    }

    /// Stops the replay.
    public mutating func close() {
        guard start != nil else { return }
        start = nil
        timeline.leave()
    }

    // MARK: events

    /// How far apart tracks may be opened and still count as opened together.
    private static let toleranceNanoseconds: Int64 = 1_000_000_000

    private var profile: DeviceProfile {
        var profile = DeviceProfile(
            offered: .fixed(shortestNanoseconds: shortestNanoseconds), intervalNanoseconds: pace.intervalNanoseconds,
            description: description, simulated: true)
        profile.isDecimated = pace.isDecimated
        return profile
    }

    private mutating func deliver(_ event: RecordedEvent, _ start: BootTime, _ intake: inout Intake) {
        switch event.content {
        case .sample(let sequence, let measurement):
            intake.append(measurement, at: start + event.stampNanoseconds, sequence: sequence)
        case .gap(var gap):
            gap.from = start + gap.from.nanoseconds
            gap.until = start + gap.until.nanoseconds
            intake.append(gap)
        case .state(let state): intake.append(state)
        case .opened: intake.appendOpening()
        case .interval(let nanoseconds, let isDecimated):
            pace = (nanoseconds, isDecimated)
            intake.append(profile)
        }
    }

    /// When the end must be reported; nil after that.
    private func end(_ start: BootTime) -> BootTime? {
        next > track.events.count ? nil : start + timeline.lengthNanoseconds
    }

    private mutating func finish(_ start: BootTime, at instant: BootTime, _ intake: inout Intake) {
        guard let round = timeline.roundNanoseconds else {
            next = track.events.count + 1
            return intake.append(
                .unavailable(reason: "the recording has ended; it starts again when all clients have left"))
        }
        intake.append(.unavailable(reason: "the recording has ended, and starts again"))
        intake.append(.starting)
        intake.appendOpening()
        // A host that slept has missed rounds; a busy one is only late.
        let passed = instant - start
        self.start = start + (passed > round + Self.toleranceNanoseconds ? passed / round : 1) * round
        next = 0
    }

    /// Skips past events, except the state that they leave behind.
    private mutating func skip(before offset: Int64) {
        standing = .starting
        while next < track.events.count, track.events[next].offsetNanoseconds < offset {
            switch track.events[next].content {
            case .state(let state): standing = state
            case .interval(let nanoseconds, let isDecimated): pace = (nanoseconds, isDecimated)
            default: break
            }
            next += 1
        }
    }

    private var lastOfHandover: Int {
        let limit = track.events[next].offsetNanoseconds + latencyNanoseconds
        var last = next
        while latencyNanoseconds > 0, last + 1 < track.events.count, case .sample = track.events[last + 1].content,
            track.events[last + 1].offsetNanoseconds <= limit
        { last += 1 }
        return last
    }
}
