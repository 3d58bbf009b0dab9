internal import Readings

/// Applies faults to a receiver's location.
enum LocationFaults {
    private static let rolloverMicroseconds: Int64 = 1_024 * 7 * 86_400 * 1_000_000

    static func apply(_ faults: [Fault], to measurement: Measurement) -> Measurement {
        guard case .location(var location) = measurement else { return measurement }
        for fault in faults { apply(fault, to: &location) }
        return .location(location)
    }

    private static func apply(_ fault: Fault, to location: inout Location) {
        switch fault {
        case .noFix: loseFix(&location, satellites: min(2, location.satellitesUsed ?? 0))
        case .satellites(let count): keep(count, in: &location)
        case .jump(let meters, let degrees):
            location.move(meters: meters, degrees: degrees)
            Resolution.limit(&location)
        case .utcBack(let nanoseconds): setBack(&location, microseconds: nanoseconds / 1_000)
        case .weekRollover: setBack(&location, microseconds: rolloverMicroseconds)
        case .unplug, .gpsdRestart, .stall, .late, .overflow, .lie, .refuse: break
        }
    }

    private static func loseFix(_ location: inout Location, satellites: Int) {
        var lost = Location(fix: .noPosition)
        lost.utcMicroseconds = location.utcMicroseconds
        lost.satellitesVisible = location.satellitesVisible
        lost.satellites = location.satellites
        MockSky.keep(satellites, in: &lost)
        location = lost
    }

    // Three satellites give no altitude; with fewer, less is known.
    private static func keep(_ count: Int, in location: inout Location) {
        let used = location.satellitesUsed ?? 12
        guard count >= 3, location.fix != .noPosition else { return loseFix(&location, satellites: min(count, used)) }
        guard count < used else { return }
        MockSky.keep(count, in: &location)
        let worse = (Double(used) / Double(count)).squareRoot()
        location.horizontalErrorMeters = location.horizontalErrorMeters.map { $0 * worse * worse }
        location.verticalErrorMeters = location.verticalErrorMeters.map { $0 * worse * worse }
        Resolution.limit(&location)
        guard count == 3 else { return }
        location.fix = .twoDimensional
        location.altitudeMeters = nil
        location.ellipsoidHeightMeters = nil
        location.verticalErrorMeters = nil
        location.climbMetersPerSecond = nil
    }

    private static func setBack(_ location: inout Location, microseconds: Int64) {
        location.utcMicroseconds = location.utcMicroseconds.map { $0 &- microseconds }
    }
}
