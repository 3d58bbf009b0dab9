public import Readings

/// What a recording contains, in bounded memory: for each resource what it measured, gaps, states, and numbers about them.
///
/// It takes events in the order of the file. All times are nanoseconds since the first event; a session follows the one
/// before by its clock, or, where there is none, or it went back or was years behind, after a second.
public struct Report {
    /// A part of the recording with clocks of its own.
    struct Session: Equatable {
        /// When it begins.
        let start: Int64
        /// UTC of that, in nanoseconds since 1970; nil if unknown.
        let utcNanoseconds: Int64?
        /// Whether by its clock it began before the end of the one before, or years after it.
        let isMoved: Bool
    }

    /// The most numbers that are kept; a million samples of three axes have three million, and a million times.
    public static let usualMost = 4_500_000
    private static let pauseNanoseconds: Int64 = 1_000_000_000
    /// Ten years: nobody would see anything of two sessions that are so far apart.
    private static let longestNanoseconds: Int64 = 10 * 366 * 86_400_000_000_000
    private static let mostSessions = 1_000

    /// The recording's resources, in order of first appearance.
    var resources: [ReportedResource] = []
    /// The recording's sessions; of very many, the first ones.
    private(set) var sessions: [Session] = []
    private(set) var sessionCount = 0
    /// The last instant of all resources.
    private(set) var end: Int64 = 0

    private let most: Int
    private var cost = 0
    /// What has to be added to times of the session; nil until its first event.
    private var shift: Int64?
    private var utcShift: Int64?
    private var originUTC: Int64?
    private var sessionStart: Int64 = 0

    /// Creates an empty report that keeps so many numbers at most.
    public init(most: Int = Self.usualMost) { self.most = most }

    /// The samples of all resources.
    public var sampleCount: Int { resources.reduce(0) { $0 + $1.sampleCount } }

    /// A session begins; with what has to be added to its times for nanoseconds since 1970, if that is known.
    public mutating func beginSession(utcShift: Int64?) {
        for index in resources.indices { resources[index].interrupt(at: end) }
        self.utcShift = utcShift
        shift = nil
    }

    /// Adds a sample of a resource.
    package mutating func add(
        _ measurement: Measurement, of resource: Int, _ name: ResourceName, at instant: Int64
    ) {
        let time = self.time(instant)
        end = max(end, time)
        enter(resource, name, measurement.kind)
        cost += resources[resource].add(measurement, at: time)
        if cost > most { fold() }
    }

    /// Adds missing readings; the cause is the recorder's word.
    public mutating func add(_ gap: Gap, _ cause: String, of resource: Int, _ name: ResourceName, _ kind: Kind) {
        let (from, until) = (time(gap.from.nanoseconds), time(gap.until.nanoseconds))
        end = max(end, until)
        enter(resource, name, kind)
        resources[resource].add(gap, cause, from: from, until: until)
    }

    /// Adds a state, from an instant on; nil: from the latest event on.
    public mutating func add(
        _ state: ResourceState, of resource: Int, _ name: ResourceName, _ kind: Kind, at instant: Int64?
    ) {
        // The state at the beginning, without a time, must not begin a session.
        let time = instant.map { self.time($0) } ?? end
        end = max(end, time)
        enter(resource, name, kind)
        resources[resource].add(state, at: time)
    }

    /// Ends what is still open.
    public mutating func finish() {
        for index in resources.indices { resources[index].closeBand(at: end) }
    }

    /// The instant of a session on the clock of the report.
    private mutating func time(_ instant: Int64) -> Int64 {
        if let shift { return max(earliest, instant.addingSaturating(shift)) }
        let next = sessionCount == 0 ? 0 : end.addingSaturating(Self.pauseNanoseconds)
        var start = next
        var isMoved = false
        if let utcShift {
            let utc = instant.addingSaturating(utcShift)
            originUTC = originUTC ?? utc.subtractingSaturating(next)
            let wanted = utc.subtractingSaturating(originUTC ?? utc)
            isMoved = sessionCount > 0 && (wanted < end || wanted >= Self.longestNanoseconds)
            start = isMoved ? next : wanted
        }
        sessionCount += 1
        sessionStart = start
        if sessionCount <= Self.mostSessions {
            let utc = utcShift.map { instant.addingSaturating($0) }
            sessions.append(Session(start: start, utcNanoseconds: utc, isMoved: isMoved))
        }
        shift = start.subtractingSaturating(instant)
        return start
    }

    /// Nothing of a session is drawn long before its first event: what is older is a gap that began before the recording.
    private var earliest: Int64 { sessionStart.subtractingSaturating(Self.pauseNanoseconds) }

    private mutating func enter(_ resource: Int, _ name: ResourceName, _ kind: Kind) {
        // Numbers of resources count from 0 in order of first appearance, but some may have appeared without an event.
        while resources.count <= resource {
            resources.append(ReportedResource(name: name, kind: kind))
        }
        if resources[resource].isEmpty, resources[resource].name != name {
            resources[resource] = ReportedResource(name: name, kind: kind)
        }
    }

    /// Halves the largest series until they fit.
    private mutating func fold() {
        while cost > most {
            guard let largest = resources.indices.max(by: { resources[$0].cost < resources[$1].cost }) else { return }
            let before = resources[largest].cost
            resources[largest].fold()
            guard resources[largest].cost < before else { return }
            cost -= before - resources[largest].cost
        }
    }
}
