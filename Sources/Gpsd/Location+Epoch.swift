internal import Readings

extension Location {
    /// Whether both coordinates are known.
    var hasPosition: Bool { latitudeDegrees != nil && longitudeDegrees != nil }

    /// Coordinates count together only.
    private static let knownAlone = LocationField.all.filter { !$0.isCoordinate }

    /// Takes over a later report of the same epoch: its fix, and each value that it knows.
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

    /// What the fix allows to say: without a position there is no fix, without a fix no position, and no heights in 2D.
    func limitedToFix() -> Location {
        guard fix != .none, hasPosition else {
            var nowhere = Location(fix: .none)
            nowhere.utcMicroseconds = utcMicroseconds
            nowhere.timeErrorSeconds = timeErrorSeconds
            nowhere.leapSeconds = leapSeconds
            return nowhere
        }
        var location = self
        if fix == .twoDimensional {
            location.altitudeMeters = nil
            location.ellipsoidHeightMeters = nil
            location.verticalErrorMeters = nil
            location.climbMetersPerSecond = nil
            location.climbErrorMetersPerSecond = nil
            location.velocityDownMetersPerSecond = nil
            location.ecefVelocityXMetersPerSecond = nil
            location.ecefVelocityYMetersPerSecond = nil
            location.ecefVelocityZMetersPerSecond = nil
        }
        return location
    }
}
