internal import Platform
internal import Readings

/// The gathered reports of one instant of measurement.
struct Epoch: Equatable, Sendable {
    /// A pause between two reports of the epoch.
    struct Pause: Equatable, Sendable {
        /// The shape of the report before the pause.
        var shape: ReportShape
        /// The longest silence between the two reports.
        var nanoseconds: Int64
    }

    /// The time in all of its reports; nil if they have none.
    let time: FixTime?
    let firstArrival: BootTime
    /// When the last report or other sign of life arrived.
    private(set) var lastArrival: BootTime
    /// The merged values of all reports.
    private var merged: Merged
    /// The shape of the last report.
    private(set) var shape: ReportShape
    /// The number of reports.
    private(set) var reports = 1
    /// The pauses between its reports.
    private(set) var pauses: [Pause] = []
    /// The longest silence from the last report to the last sign of life.
    ///
    /// A later report may belong to the next epoch.
    private var longestPauseNanoseconds: Int64 = 0

    /// Apart, since an epoch is copied often, and a location has hundreds of bytes.
    private indirect enum Merged: Equatable { case location(Location) }

    /// More than any real epoch has; a receiver whose clock stands still could continue for ever.
    private static let mostPauses = 64

    init(time: FixTime?, location: Location, shape: ReportShape, arrival: BootTime) {
        self.time = time
        merged = .location(location)
        self.shape = shape
        firstArrival = arrival
        lastArrival = arrival
    }

    /// The merged values of all reports.
    var location: Location {
        switch merged {
        case .location(let location): location
        }
    }

    mutating func merge(_ later: Location, shape laterShape: ReportShape, arrival: BootTime) {
        var location = location
        location.merge(later: later)
        merged = .location(location)
        touch(arrival)
        reports += 1
        if pauses.count < Self.mostPauses { pauses.append(Pause(shape: shape, nanoseconds: longestPauseNanoseconds)) }
        longestPauseNanoseconds = 0
        shape = laterShape
    }

    /// Notes a sign that the receiver is still sending.
    mutating func touch(_ arrival: BootTime) {
        longestPauseNanoseconds = max(longestPauseNanoseconds, arrival - lastArrival)
        lastArrival = max(lastArrival, arrival)
    }
}

/// The result of one attempt to receive.
enum Reception: Equatable {
    /// Bytes arrived.
    case received
    /// Nothing has arrived yet.
    case nothing
    /// gpsd closed the connection.
    case closed
    /// The current line is longer than any line of gpsd.
    case overlong
    /// The connection failed.
    case failed(SystemError)
}
