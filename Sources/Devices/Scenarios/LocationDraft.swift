internal import Mock
internal import Readings

/// A `[location]` section while it is parsed.
struct LocationDraft {
    /// The path of the receiver.
    enum Way {
        case stops([Route.Stop], at: Schedule)
        case circle(Position, radiusMeters: Double, altitudeMeters: Double, isClockwise: Bool)
    }

    /// The times at the stops.
    enum Schedule {
        /// No times are given.
        case none
        /// The times decrease, which is an error.
        case goesBack
        /// Seconds since the start for each stop.
        case at([Double])
    }

    var rates = MockScript.receiverNanoseconds
    var traits = ReceiverTraits()
    var speed: SpeedProfile?
    var atEnd: Journey.AtEnd?
    var description: String?
    /// Keys that define a path, and their values; several waypoints form one path.
    var ways: [(key: String, way: Way)] = []

    /// 36 km/h.
    private static let usualSpeed = SpeedProfile([(0, 10)])

    /// The script of the receiver; without a path it is on the built-in drive.
    func script(seed: UInt64) throws(Refusal) -> MockScript {
        var traits = traits
        traits.seed = seed
        guard let first = ways.first else {
            guard speed == nil, atEnd == nil else {
                throw Refusal("there is no path: add Waypoint=, GreatCircle=, Circle= or Gpx=")
            }
            return .driving(seed: seed, traits, offeredNanoseconds: rates, description: description)
        }
        if let second = ways.dropFirst().first {
            throw Refusal("\(first.key)= and \(second.key)= are two paths: leave one of them out")
        }
        let journey = try journey(first.way)
        return .receiver(
            on: journey, traits, offeredNanoseconds: rates, description: description ?? Self.words(journey.route))
    }

    private static func words(_ route: Route) -> String {
        guard route.lengthMeters > 0 else { return "simulated receiver" }
        let tens = (route.lengthMeters / 10).rounded()
        return "simulated receiver on \(tens / 100) km"
    }

    private func journey(_ way: Way) throws(Refusal) -> Journey {
        switch way {
        case .circle(let center, let radius, let altitude, let isClockwise):
            let route = Route(
                around: center, radiusMeters: radius, altitudeMeters: altitude, isClockwise: isClockwise)
            return Journey(route, .speed(speed ?? Self.usualSpeed), atEnd: atEnd ?? .repeat)
        case .stops(let stops, let schedule):
            return Journey(Route(stops), try pace(schedule), atEnd: atEnd ?? .stop)
        }
    }

    private func pace(_ schedule: Schedule) throws(Refusal) -> Journey.Pace {
        if let speed { return .speed(speed) }
        switch schedule {
        case .none: return .speed(Self.usualSpeed)
        case .at(let times): return .stops(times)
        case .goesBack:
            throw Refusal("the times in its file go backwards: set the speed instead, such as Speed=50km/h")
        }
    }

    /// Appends a stop to the path of single waypoints.
    mutating func add(_ stop: Route.Stop) throws(Refusal) {
        guard case .stops(var stops, .none)? = ways.last?.way, ways.last?.key == "Waypoint" else {
            return ways.append(("Waypoint", .stops([stop], at: .none)))
        }
        guard stops.count < 10_000 else { throw Refusal("these are too many waypoints: write a GPX file") }
        stops.append(stop)
        ways[ways.count - 1].way = .stops(stops, at: .none)
    }
}
