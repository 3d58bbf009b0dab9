import SensorBroker

@main struct Hiker {
    static func main() async throws {
        let location = LocationManager(updateInterval: .seconds(1))
        location.distanceFilter = 5
        for try await event in location.events {
            switch event {
            case .reading(let reading): print(reading.value)
            case .gap(let gap): print("missed: \(gap.cause)")
            case .state(let state): print("the receiver is \(state.name)")
            case .grant(let grant): print("one reading every \(grant.interval)")
            case .disconnected(let error), .refused(let error): print(error)
            @unknown default: print(event)
            }
        }
    }
}
