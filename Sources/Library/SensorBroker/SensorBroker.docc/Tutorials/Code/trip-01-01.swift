import SensorBroker

@main struct Trip {
    static func main() async throws {
        let location = LocationManager(updateInterval: .seconds(1))
        for try await reading in location.readings { print(reading.value) }
    }
}
