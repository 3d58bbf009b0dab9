internal import Readings

extension Journey {
    /// Where one truly is, and how one moves.
    func location(atSeconds seconds: Double) -> Location {
        let progress = progress(atSeconds: seconds)
        let place = route.place(atMeters: progress.meters)
        var location = Location(fix: .threeDimensional)
        location.latitudeDegrees = place.position.latitudeDegrees
        location.longitudeDegrees = place.position.longitudeDegrees
        location.altitudeMeters = place.altitudeMeters
        location.speedMetersPerSecond = progress.metersPerSecond
        let course = place.courseDegrees + (progress.isReturning ? 180 : 0)
        location.trackDegrees = course >= 360 ? course - 360 : course
        location.climbMetersPerSecond = place.slope * progress.metersPerSecond * (progress.isReturning ? -1 : 1)
        return location
    }
}
