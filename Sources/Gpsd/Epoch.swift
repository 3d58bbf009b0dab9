internal import Readings

/// The reports of one instant of measurement, gathered.
struct Epoch: Equatable, Sendable {
    /// A pause that was not the end.
    struct Pause: Equatable, Sendable {
        /// What the report before it looked like.
        var shape: ReportShape
        /// The longest silence from that report to the next.
        var nanoseconds: Int64
    }

    /// The time that all its reports carry; nil where none does.
    let time: FixTime?
    /// When the first report came.
    let firstArrival: BootTime
    /// When the last sign of it came.
    private(set) var lastArrival: BootTime
    /// What the reports say together.
    private(set) var location: Location
    /// What the last report looks like.
    private(set) var shape: ReportShape
    /// How many reports there were.
    private(set) var reports = 1
    /// The pauses between its reports.
    private(set) var pauses: [Pause] = []
    /// Since the last report, up to the last sign: what comes after it may belong to the next epoch.
    private var longestPauseNanoseconds: Int64 = 0

    /// More reports than any epoch has; a receiver whose clock stands still could go on for ever.
    private static let mostPauses = 64

    init(time: FixTime?, location: Location, shape: ReportShape, arrival: BootTime) {
        self.time = time
        self.location = location
        self.shape = shape
        firstArrival = arrival
        lastArrival = arrival
    }

    /// A further report.
    mutating func merge(_ later: Location, shape laterShape: ReportShape, arrival: BootTime) {
        location.merge(later: later)
        touch(arrival)
        reports += 1
        if pauses.count < Self.mostPauses { pauses.append(Pause(shape: shape, nanoseconds: longestPauseNanoseconds)) }
        longestPauseNanoseconds = 0
        shape = laterShape
    }

    /// A sign that the receiver is still at it.
    mutating func touch(_ arrival: BootTime) {
        longestPauseNanoseconds = max(longestPauseNanoseconds, arrival - lastArrival)
        lastArrival = max(lastArrival, arrival)
    }
}
