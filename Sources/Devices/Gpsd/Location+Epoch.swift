internal import Readings

extension Location {
    /// Whether both coordinates are known.
    var hasPosition: Bool { latitudeDegrees != nil && longitudeDegrees != nil }

    /// Coordinates count only as a pair.
    private static let knownAlone = LocationField.all.filter { !$0.isCoordinate }

    /// Takes the fix and all known values of a later report of the same epoch.
    mutating func merge(later: Location) {
        fix = later.fix
        utcMicroseconds = later.utcMicroseconds ?? utcMicroseconds
        if later.hasPosition {
            latitudeDegrees = later.latitudeDegrees
            longitudeDegrees = later.longitudeDegrees
        }
        for field in Self.knownAlone {
            if let value = field.value(of: later) { field.put(value, into: &self) }
        }
    }

    /// Removes what the fix does not allow: without a position there is no fix, without a fix no position, and in 2D no
    /// altitude.
    mutating func limitToFix() {
        guard fix != .noPosition, hasPosition else {
            var nowhere = Location(fix: .noPosition)
            nowhere.utcMicroseconds = utcMicroseconds
            nowhere.timeErrorSeconds = timeErrorSeconds
            nowhere.leapSeconds = leapSeconds
            self = nowhere
            return
        }
        guard fix == .twoDimensional else { return }
        altitudeMeters = nil
        ellipsoidHeightMeters = nil
        verticalErrorMeters = nil
        climbMetersPerSecond = nil
        climbErrorMetersPerSecond = nil
        velocityDownMetersPerSecond = nil
        ecefVelocityXMetersPerSecond = nil
        ecefVelocityYMetersPerSecond = nil
        ecefVelocityZMetersPerSecond = nil
    }
}
