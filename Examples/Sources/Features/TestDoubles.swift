import SensorBroker
import SensorBrokerTesting

/// Code that takes a service runs on the host's device or on a script, in virtual time.
enum TestDoubles {
    struct Odometer {
        let location: any LocationService

        func firstSpeed() async throws -> Double? {
            for try await reading in location.readings { return reading.value.speedMetersPerSecond }
            return nil
        }
    }

    static func run() async throws {
        let speed = try await Odometer(location: LocationManager()).firstSpeed()
        print("on the host: \(speed ?? 0) m/s")

        let time = VirtualTime()
        let fast = Location(latitudeDegrees: 52.5, longitudeDegrees: 13.4, speedMetersPerSecond: 12)
        let scripted = ScriptedSensor(location: time, .wait(.seconds(3600)), .lose(reason: "unplugged"), .reading(fast))
        time.advance(by: .seconds(3600))
        try hold("an hour has passed at once", try await Odometer(location: scripted).firstSpeed() == 12)
    }
}
