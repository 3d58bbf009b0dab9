import SensorBroker
import SensorBrokerTesting
import Testing

@testable import Trip

let home = Location(latitudeDegrees: 52.5, longitudeDegrees: 13.4)
let north = Location(latitudeDegrees: 52.6, longitudeDegrees: 13.4)

@Test func addsTheWay() async throws {
    let time = VirtualTime()
    let location = ScriptedSensor(location: time, .reading(home), .wait(.seconds(60)), .reading(north))
    time.advance(by: .seconds(60))
    var meter = TripMeter(location: location)
    try await meter.follow(until: 10_000)
    #expect(Int(meter.meters) == 11_127)
}
