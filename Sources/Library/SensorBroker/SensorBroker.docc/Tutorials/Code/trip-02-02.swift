import SensorBroker

@main struct Trip {
    static func main() async throws {
        let location = LocationManager(updateInterval: .seconds(1))
        location.desiredAccuracy = 20
        location.distanceFilter = 5
        var meter = TripMeter(location: location)
        while true {
            try await meter.follow(until: meter.meters + 100)
            print("\(Int(meter.meters)) m")
        }
    }
}
