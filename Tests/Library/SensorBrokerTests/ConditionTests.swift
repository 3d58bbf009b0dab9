import SensorBroker
import SensorBrokerTesting
import Testing

@Suite struct ConditionTests {
    private let time = VirtualTime()
    private let fence = CircularCondition(
        center: Coordinate(latitudeDegrees: 52.5, longitudeDegrees: 13.4), radiusMeters: 50)

    /// A location so many metres north of the centre.
    private func location(_ meters: Double, error: Double = 3) -> Location {
        Location(latitudeDegrees: 52.5 + meters / 111_265, longitudeDegrees: 13.4, horizontalErrorMeters: error)
    }

    /// What a sensor that plays a script shows of conditions.
    private func changes(
        _ conditions: [String: any SensorCondition<Location>], _ steps: ScriptedStep<Location>...
    ) async -> [String] {
        let sensor = ScriptedSensor<Location>(time: time, script: steps + [.fail(.timedOut)])
        time.advance(by: .seconds(1_000))
        var events = sensor.conditions(conditions).makeAsyncIterator()
        var changes: [String] = []
        while let event = try? await events.next() {
            changes.append("\(event.name) \(event.isSatisfied.map { "\($0)" } ?? "unknown")")
        }
        return changes
    }

    @Test("what is known of each comes first, and then each change; a location close to the edge shows nothing")
    func changes() async {
        let far = CircularCondition(center: fence.center, radiusMeters: 5_000)
        let changes = await changes(
            ["near": fence, "far": far], .reading(location(0)), .reading(location(10)), .reading(location(51)),
            .reading(location(80)), .reading(location(90)), .reading(location(49)), .reading(location(6_000)),
            .reading(location(20)))
        #expect(changes == ["far true", "near true", "near false", "far false", "far true", "near true"])
    }

    @Test("nothing is known while the device or the broker is away")
    func unknown() async {
        let changes = await changes(
            ["fence": fence], .reading(location(0)), .lose(reason: "unplugged"), .recover, .reading(location(0)),
            .disconnect(.disconnected), .reading(location(100)))
        #expect(changes == ["fence true", "fence unknown", "fence true", "fence unknown", "fence false"])
    }

    @Test("the sensor asks for the changes that may matter: half of the way to the edge, or any close to it")
    func minimumChange() async throws {
        let sensor = ScriptedSensor<Location>(time: time)
        let inner = CircularCondition(center: fence.center, radiusMeters: 10)
        var events = sensor.conditions(["fence": fence, "inner": inner, "read": Alternation()]).makeAsyncIterator()
        let steps: [(Double, Double?)] = [(1_050, 256), (150, 32), (40, 2), (49, nil), (1_050, 256)]
        for (number, (meters, change)) in steps.enumerated() {
            var location = location(meters)
            location.altitudeMeters = Double(number)
            sensor.play([.reading(location)])
            time.advance(by: .zero)
            // The last one that a reading shows.
            while let event = try await events.next(), event.name != "read" {}
            #expect(sensor.request.minimumChange == change, "\(meters)")
        }
    }

    /// Shows that a reading has come, wherever that is.
    private struct Alternation: SensorCondition {
        func isSatisfied(by location: Location) -> Bool? { location.altitudeMeters.map { Int($0).isMultiple(of: 2) } }
        func margin(at location: Location) -> Double? { .infinity }
    }

    @Test("after a loss the next reading shows what is so, although nothing has moved")
    func unmoved() async throws {
        let sensor = ScriptedSensor<Location>(time: time)
        var events = sensor.conditions(["fence": fence]).makeAsyncIterator()
        sensor.play([.reading(location(0))])
        time.advance(by: .zero)
        #expect(try await events.next()?.isSatisfied == true)
        #expect(sensor.request.minimumChange == 16)
        sensor.play([.lose(reason: "unplugged"), .recover])
        time.advance(by: .zero)
        #expect(try await events.next()?.isSatisfied == nil)
        sensor.play([.reading(location(0)), .fail(.timedOut)])
        time.advance(by: .zero)
        #expect(try await events.next()?.isSatisfied == true)
    }

    @Test("a condition of one's own decides by itself")
    func own() async {
        let slow = ValueCondition<Location> { $0.speedMetersPerSecond.map { $0 < 1 } }
        var walking = location(0)
        walking.speedMetersPerSecond = 1.5
        let changes = await changes(["slow": slow], .reading(location(0)), .reading(walking))
        #expect(changes == ["slow false"])
    }
}
