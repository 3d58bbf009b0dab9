import SensorBroker
import SensorBrokerSimulation
import SensorBrokerTesting
import SensorBrokerTestTraits
import Testing

@testable import Trip

let home = Location(latitudeDegrees: 52.5, longitudeDegrees: 13.4)
let north = Location(latitudeDegrees: 52.6, longitudeDegrees: 13.4)
let far = Location(latitudeDegrees: 52.7, longitudeDegrees: 13.4)

@Test func addsTheWay() async throws {
    let time = VirtualTime()
    let location = ScriptedSensor(location: time, .reading(home), .wait(.seconds(60)), .reading(north))
    time.advance(by: .seconds(60))
    var meter = TripMeter(location: location)
    try await meter.follow(until: 10_000)
    #expect(Int(meter.meters) == 11_127)
}

@Test func doesNotGuess() async throws {
    let time = VirtualTime()
    let location = ScriptedSensor(
        location: time, .reading(home), .lose(reason: "unplugged"), .wait(.seconds(60)), .recover, .reading(far),
        .reading(north))
    time.advance(by: .seconds(60))
    var meter = TripMeter(location: location)
    try await meter.follow(until: 10_000)
    // From far to north, but not from home to far.
    #expect(Int(meter.meters) == 11_127)
}

@Test(.broker(.mock)) func measuresADrive() async throws {
    var meter = TripMeter(location: LocationManager(updateInterval: .milliseconds(100)))
    try await meter.follow(until: 10)
    #expect(meter.meters >= 10)
}
