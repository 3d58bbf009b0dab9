import SensorBroker
import SensorBrokerSimulation

/// A host whose devices and faults the program decides.
enum SimulatingHosts {
    static func run() async throws {
        let host = try SimulatedHost(
            scenarioText: """
                [temperature]
                Noise=0.1
                """)
        let thermometer = Thermometer(broker: Broker(.simulated(host)), updateInterval: .milliseconds(50))
        let reading = try await thermometer.requestReading()
        print("it is \(reading.value)")
        try hold("the host has what its scenario says", (0...50).contains(reading.value.degreesCelsius))

        try host.begin(.unplug, for: .milliseconds(200))
        var states: [String] = []
        for try await event in thermometer.events {
            if case .state(let state) = event { states.append(state.name) }
            if case .reading = event, states.contains("unavailable") { break }
        }
        print("meanwhile it was \(states)")
        try hold("a fault begins and ends", states.contains("unavailable"))
    }
}
