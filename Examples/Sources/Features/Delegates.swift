import Dispatch
import SensorBroker
import Synchronization

/// A delegate is told on the queue of one's choice.
enum Delegates {
    final class Counter: SensorDelegate {
        let count = Mutex(0)
        func didUpdate(_ reading: Reading<Acceleration>) {
            dispatchPrecondition(condition: .onQueue(Delegates.queue))
            count.withLock { $0 += 1 }
        }
    }

    static let queue = DispatchQueue(label: "readings")

    static func run() async throws {
        let counter = Counter()
        let accelerometer = Accelerometer(updateInterval: .milliseconds(10))
        accelerometer.setDelegate(counter, on: QueueExecutor { queue.async(execute: $0) })
        while counter.count.withLock({ $0 }) < 10 { try await Task.sleep(for: .milliseconds(10)) }
        accelerometer.setDelegate(nil)
        try hold("the delegate was told on its queue", true)
    }
}
