internal import Platform

/// The sensors of a broker that stand for sensors of other brokers, where this one takes the place of theirs.
///
/// A sensor may be a part of something that a program has only once, and that outlives each test. So a test's broker holds what
/// stands there for such a sensor, and it goes with the broker, or with the sensor.
final class StandIns: Sendable {
    private typealias StandIn = any Sendable & AnyObject

    private struct Weak: Sendable {
        weak let standIns: StandIns?
    }

    /// Those of all brokers that have any; none in a program that replaces no broker.
    private static let all = Locked<[Weak]>([])

    private let present = Locked<[ObjectIdentifier: StandIn]>([:])

    /// What stands for a sensor; the first time, it is made.
    func standIn<Value>(for sensor: Sensor<Value>, _ make: () -> Sensor<Value>) -> Sensor<Value> {
        present.withLock { present in
            if let standIn = present[ObjectIdentifier(sensor)] as? Sensor<Value> { return standIn }
            if present.isEmpty { register() }
            let standIn = make()
            present[ObjectIdentifier(sensor)] = standIn
            return standIn
        }
    }

    private func register() {
        Self.all.withLock { all in
            all.removeAll { $0.standIns == nil || $0.standIns === self }
            all.append(Weak(standIns: self))
        }
    }

    /// Lets go of whatever stands for a sensor that ends.
    static func remove(_ sensor: ObjectIdentifier) {
        for standIns in all.withLock({ $0 }).compactMap(\.standIns) {
            // Deinitialised after the lock is released.
            let former = standIns.present.withLock { $0.removeValue(forKey: sensor) }
            withExtendedLifetime(former) {}
        }
    }
}
