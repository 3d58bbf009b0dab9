internal import Readings

/// A movement along a route over time, and what happens at its end.
public struct Journey: Sendable {
    /// What happens at the end of the route.
    public enum AtEnd: String, CaseIterable, Sendable {
        /// Stays there.
        case stop
        /// Starts again at the beginning, with a jump unless the route is closed.
        case `repeat`
        /// Turns round.
        case `return`
    }

    /// The speed of the journey.
    public enum Pace: Sendable {
        /// Given by speeds.
        case speed(SpeedProfile)
        /// Given by the times at the route's stops, in seconds; they never decrease.
        case stops([Double])
    }

    /// A position on the journey: distance, speed, and direction.
    struct Progress: Equatable {
        var meters: Double
        var metersPerSecond: Double
        var isReturning = false
    }

    /// The route.
    public let route: Route
    private let pace: Pace
    private let atEnd: AtEnd

    /// Creates a journey along a route.
    public init(_ route: Route, _ pace: Pace, atEnd: AtEnd) {
        self.route = route
        self.pace = pace
        self.atEnd = atEnd
    }

    func progress(atSeconds seconds: Double) -> Progress {
        switch pace {
        case .speed(let profile):
            let (meters, speed) = profile.progress(atSeconds: seconds)
            let (place, isOver, isReturning) = wrap(meters, around: route.lengthMeters)
            return Progress(meters: place, metersPerSecond: isOver ? 0 : speed, isReturning: isReturning)
        case .stops(let times):
            let (time, isOver, isReturning) = wrap(seconds, around: times.last ?? 0)
            let (meters, speed) = interpolate(time, times)
            return Progress(meters: meters, metersPerSecond: isOver ? 0 : speed, isReturning: isReturning)
        }
    }

    // Wraps a distance according to the end: the position on the route, whether the journey is over, and whether it is
    // on the way back.
    private func wrap(_ value: Double, around length: Double) -> (Double, Bool, Bool) {
        let value = max(0, value)
        guard length > 0 else { return (0, true, false) }
        switch atEnd {
        case .stop: return (min(value, length), value >= length, false)
        case .repeat: return (value.truncatingRemainder(dividingBy: length), false, false)
        case .return:
            let rest = value.truncatingRemainder(dividingBy: 2 * length)
            return rest <= length ? (rest, false, false) : (2 * length - rest, false, true)
        }
    }

    private func interpolate(_ time: Double, _ times: [Double]) -> (meters: Double, metersPerSecond: Double) {
        if let last = times.last, time >= last { return (route.lengthMeters, 0) }
        let low = times.dropLast().lastIndex(upTo: time) { $0 }
        guard low + 1 < times.count, times[low + 1] > times[low] else { return (route.stopMeters[low], 0) }
        let speed = (route.stopMeters[low + 1] - route.stopMeters[low]) / (times[low + 1] - times[low])
        return (route.stopMeters[low] + speed * (time - times[low]), speed)
    }
}

extension Journey {
    /// The true location and movement.
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
