/// Sorts the events of a recording into a track for each resource, for a replay.
///
/// Each session has its own clocks, since the host may have been rebooted in between.
struct TrackSorter {
    /// The tracks, by the resources' numbers.
    private(set) var tracks: [RecordedTrack] = []
    /// The tracks of the present session, on the recorder's clock.
    private var session: [SessionTrack] = []
    private var hasSessions = false
    private var elapsedNanoseconds: Int64 = 0

    mutating func take(
        _ event: RecordingStream.Event, _ resources: [RecordingStream.Resource]
    ) throws(RecordedLineError) {
        while tracks.count < resources.count {
            tracks.append(RecordedTrack(name: resources[tracks.count].name, kind: resources[tracks.count].kind))
        }
        switch event {
        case .session: try endSession()
        case .sample(let resource, let sequence, let stamp, let measurement):
            try track(resource) { $0.add(measurement, sequence, at: stamp) }
        case .gap(let resource, let gap, _): try track(resource) { $0.add(gap) }
        case .state(let resource, let state, let instant): try track(resource) { $0.add(state, at: instant) }
        case .interval(let resource, let nanoseconds, let isDecimated):
            try track(resource) { $0.add(intervalNanoseconds: nanoseconds, isDecimated: isDecimated) }
        }
    }

    private mutating func track(_ resource: Int, _ act: (inout SessionTrack) -> Void) throws(RecordedLineError) {
        let known = session.firstIndex { $0.resource == resource }
        if known == nil { session.append(SessionTrack(resource: resource)) }
        let index = known ?? session.count - 1
        act(&session[index])
        if let fault = session[index].fault { throw RecordedLineError(fault) }
    }

    /// Appends the session to those before.
    mutating func endSession() throws(RecordedLineError) {
        defer { session = [] }
        for index in session.indices { session[index].end() }
        if let fault = session.lazy.compactMap(\.fault).first { throw RecordedLineError(fault) }
        guard let start = session.compactMap(\.start).min() else { return }
        guard elapsedNanoseconds < Recording.longestNanoseconds else {
            throw RecordedLineError("its sessions together last too long")
        }
        let ends = session.compactMap(\.events.last?.offsetNanoseconds)
        guard ends.allSatisfy({ $0 < start || $0 - start < Recording.longestNanoseconds }) else {
            throw RecordedLineError("the times of its resources are years apart")
        }
        let base = hasSessions ? elapsedNanoseconds + Recording.pauseNanoseconds : 0
        for part in session where !part.events.isEmpty {
            let events = part.events(from: start, movedTo: base, asFirst: !hasSessions)
            assert(tracks.indices.contains(part.resource), "each resource has a track from its first event on")
            elapsedNanoseconds = max(elapsedNanoseconds, events.last?.offsetNanoseconds ?? 0)
            tracks[part.resource].events += events
            tracks[part.resource].sampleCount += events.count { if case .sample = $0.content { true } else { false } }
        }
        hasSessions = true
    }
}
