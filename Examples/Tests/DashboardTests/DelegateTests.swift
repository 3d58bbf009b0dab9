import SensorBroker
import SensorBrokerTesting
import Testing

// Classes of a module whose default isolation is the main actor can be delegates, with and without saying where they belong.

private final class Plain: SensorDelegate {
    var count = 0
    func didUpdate(_ reading: Reading<Acceleration>, of sensor: SensorID) async { count += 1 }
}

@MainActor private final class Explicit: SensorDelegate {
    var count = 0
    func didUpdate(_ reading: Reading<Acceleration>, of sensor: SensorID) { count += 1 }
}

private final class Isolated: @MainActor SensorDelegate {
    var count = 0
    func didUpdate(_ reading: Reading<Acceleration>, of sensor: SensorID) { count += 1 }
}

/// Follows two kinds, and has views and managers of its own.
private final class Model: SensorDelegate {
    @Latest(\.location) private var location
    @Latest(Accelerometer.self, every: .milliseconds(20)) private var acceleration
    private let name = "car"
    private(set) var lines: [String] = []
    private var kinds: [SensorID: String] = [:]

    func follow(_ location: any LocationService, _ accelerometer: any AccelerometerService) {
        kinds = [location.id: "at", accelerometer.id: "pulled by"]
        location.setDelegate(self)
        accelerometer.setDelegate(self)
    }

    func didUpdate(_ reading: Reading<any Measurable>, of sensor: SensorID) {
        lines.append("\(name) \(kinds[sensor] ?? "?") \(reading.value)")
    }
}

@Suite struct DelegateTests {
    private let time = VirtualTime()
    private let still = Acceleration(x: 0, y: 0, z: 9.81)

    @Test("classes without a word about their isolation, and with one, are told on the main actor")
    func isolation() async {
        let accelerometer = ScriptedSensor(accelerometer: time, .reading(still))
        let (plain, explicit, isolated) = (Plain(), Explicit(), Isolated())
        accelerometer.setDelegate(plain)
        time.advance(by: .zero)
        while plain.count < 1 { await Task.yield() }
        accelerometer.setDelegate(explicit)
        while explicit.count < 1 { await Task.yield() }
        accelerometer.setDelegate(isolated)
        while isolated.count < 1 { await Task.yield() }
        accelerometer.setDelegate(nil)
    }

    @Test("one class follows sensors of two kinds, and knows which is which")
    func twoKinds() async {
        let here = Location(latitudeDegrees: 52.5, longitudeDegrees: 13.4)
        let location = ScriptedSensor(location: time, .reading(here))
        let accelerometer = ScriptedSensor(accelerometer: time, .reading(still))
        let model = Model()
        model.follow(location, accelerometer)
        time.advance(by: .zero)
        while model.lines.count < 2 { await Task.yield() }
        #expect(Set(model.lines) == ["car at \(here)", "car pulled by \(still)"])
    }
}
