internal import Readings

/// The reports of one instant of measurement, gathered.
struct Epoch: Equatable, Sendable {
    /// The time that all its reports carry; nil where none does.
    let time: FixTime?
    /// When the first report came.
    let firstArrival: BootTime
    /// When the last sign of it came.
    private(set) var lastArrival: BootTime
    /// What the reports say together.
    private(set) var location: Location
    /// How many reports there were.
    private(set) var count = 1
    /// The longest pause between two signs of it, up to its last report.
    private(set) var longestPauseNanoseconds: Int64 = 0
    /// The same, up to the last sign: what comes after the last report may belong to the next epoch.
    private var longestPauseSoFar: Int64 = 0

    init(time: FixTime?, location: Location, arrival: BootTime) {
        self.time = time
        self.location = location
        firstArrival = arrival
        lastArrival = arrival
    }

    /// A further report.
    mutating func merge(_ later: Location, arrival: BootTime) {
        location.merge(later: later)
        count += 1
        touch(arrival)
        longestPauseNanoseconds = longestPauseSoFar
    }

    /// A sign that the receiver is still at it.
    mutating func touch(_ arrival: BootTime) {
        longestPauseSoFar = max(longestPauseSoFar, arrival - lastArrival)
        lastArrival = max(lastArrival, arrival)
    }
}
