import SensorBroker

@main struct Trip {
    static func main() async throws {
        let location = LocationManager(updateInterval: .seconds(1))
        location.desiredAccuracy = 20
        location.distanceFilter = 5
        for try await reading in location.readings { print(reading.value) }
    }
}
