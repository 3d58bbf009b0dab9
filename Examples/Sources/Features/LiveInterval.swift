import SensorBroker

/// The interval of a stream is changed while it runs.
enum LiveInterval {
    static func run() async throws {
        let accelerometer = Accelerometer(updateInterval: .milliseconds(100))
        var (last, fast) = (BootTime?.none, 0)
        for try await event in accelerometer.events {
            switch event {
            case .grant(let grant): print("granted: one reading every \(grant.interval)")
            case .reading(let reading):
                accelerometer.updateInterval = .milliseconds(10)
                if last?.duration(to: reading.timestamp) == .milliseconds(10) { fast += 1 }
                last = reading.timestamp
            case .gap(let gap): print("missed \(gap)")
            case .refused(let error): throw error
            case .state, .disconnected: break
            @unknown default: break
            }
            if fast == 10 { break }
        }
        try hold("readings come every 10 ms, without a new subscription", Broker.shared.usage.subscriptions == 1)
    }
}
