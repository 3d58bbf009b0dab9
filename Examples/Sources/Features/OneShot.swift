import SensorBroker

/// One location, as exact as wanted; or an answer why there is none.
enum OneShot {
    static func run() async throws {
        let location = LocationManager()
        location.desiredAccuracy = 50
        let reading = try await location.requestLocation(maximumAge: .seconds(5), timeout: .seconds(20))
        try hold("a location has come", reading.value.latitudeDegrees != nil)

        let nowhere = LocationManager(broker: Broker(socket: "/nonexistent"))
        do {
            _ = try await nowhere.requestLocation()
            throw Broken(promise: "a missing daemon is an error")
        } catch let error as SensorError {
            print(error)
            try hold("a missing daemon is an answer", error == .brokerMissing(paths: ["/nonexistent"]))
        }
    }
}
