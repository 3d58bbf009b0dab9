import Glibc
import SensorBroker

/// When the host is short of memory, unused subscriptions go, used ones never.
///
/// A service manager tells by the file that it names in `MEMORY_PRESSURE_WATCH`; else the kernel does. Where neither has
/// anything to tell, this one waits for nothing and gives them up by hand.
enum Memory {
    static func run() async throws {
        let broker = Broker.shared
        let used = LocationManager()
        used.startUpdates()
        for try await _ in Accelerometer().readings { break }
        var events = broker.lifecycle.makeAsyncIterator()
        if isWatched {
            print("waiting for word of short memory")
            fflush(nil)
            while let event = await events.next() {
                guard case .memoryPressure(let released) = event else { continue }
                print("memory is short: \(released) given up")
                break
            }
        }
        broker.release(.all)
        try hold("what is used stays", broker.usage.subscriptions == 1 && broker.usage.unusedSubscriptions == 0)
        withExtendedLifetime(used) {}
    }
}

private let isWatched = getenv("MEMORY_PRESSURE_WATCH") != nil
