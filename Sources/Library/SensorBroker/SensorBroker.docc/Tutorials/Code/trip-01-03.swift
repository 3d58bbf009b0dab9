import SensorBroker

@main struct Trip {
    static func main() async throws {
        let location = LocationManager(updateInterval: .seconds(1))
        location.desiredAccuracy = 20
        location.distanceFilter = 5
        for try await event in location.events {
            switch event {
            case .reading(let reading): print(reading.value)
            case .gap(let gap): print("readings are missing: \(gap.cause)")
            case .state(let state): print("the receiver is \(state)")
            case .disconnected(let error), .refused(let error): print(error)
            case .grant: break
            @unknown default: print(event)
            }
        }
    }
}
