/// What a report tells of and what it leaves out, whatever the values are.
///
/// gpsd fills a fix in as sentences come: the last report of an epoch mostly looks like the last of the epoch before, and
/// unlike those that it finishes.
struct ReportShape: Hashable, Sendable {
    private let mode: Int
    private let known: UInt16

    init(_ report: FixReport) {
        let values = [
            report.latitudeDegrees, report.altitudeMeters, report.ellipsoidHeightMeters, report.speedMetersPerSecond,
            report.trackDegrees, report.climbMetersPerSecond, report.horizontalErrorMeters, report.verticalErrorMeters,
        ]
        mode = report.mode
        known = values.reduce(0) { $0 << 1 | ($1.isFinite ? 1 : 0) }
    }

    /// gpsd has not heard yet what the fix is worth, so more is to come.
    var isBeginning: Bool { mode == 0 }
}
