internal import Readings

/// Leaves a sensor that has just appeared to udev first, for a while.
struct UdevPatience: Sendable {
    private var firstSeen: [SensorAppearance: Int64] = [:]
    /// After how long to look again; nil where nothing is waited for.
    private(set) var pauseNanoseconds: Int64?

    private static let longestNanoseconds: Int64 = 1_500_000_000
    private static let stepNanoseconds: Int64 = 50_000_000

    /// Those that udev has dealt with, or has had time enough for.
    mutating func ready(among sightings: [Sighting], at now: Int64) -> [Sighting] {
        firstSeen = firstSeen.filter { seen in sightings.contains { $0.appearance == seen.key } }
        let ready = sightings.filter { sighting in
            let since = firstSeen[sighting.appearance] ?? now
            firstSeen[sighting.appearance] = since
            return sighting.isSettled || now.subtractingSaturating(since) >= Self.longestNanoseconds
        }
        pauseNanoseconds = ready.count < sightings.count ? Self.stepNanoseconds : nil
        return ready
    }
}
