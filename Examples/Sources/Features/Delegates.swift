import Dispatch
import SensorBroker
import Synchronization

/// A delegate is told on the queue of one's choice, of sensors of several kinds.
enum Delegates {
    final class Counter: SensorDelegate, Sendable {
        let counts = Mutex<[SensorID: Int]>([:])
        func didUpdate(_ reading: Reading<any Measurable>, of sensor: SensorID) {
            dispatchPrecondition(condition: .onQueue(Delegates.queue))
            counts.withLock { $0[sensor, default: 0] += 1 }
        }
    }

    static let queue = DispatchQueue(label: "readings")

    static func run() async throws {
        let counter = Counter()
        let executor = QueueExecutor { queue.async(execute: $0) }
        let (accelerometer, location) = (Accelerometer(updateInterval: .milliseconds(10)), LocationManager())
        accelerometer.setDelegate(counter, on: executor)
        location.setDelegate(counter, on: executor)
        while counter.counts.withLock({ $0[accelerometer.id, default: 0] < 10 || $0[location.id] == nil }) {
            try await Task.sleep(for: .milliseconds(10))
        }
        accelerometer.setDelegate(nil)
        location.setDelegate(nil)
        try hold("the delegate was told on its queue, and of which sensor", true)
    }
}
