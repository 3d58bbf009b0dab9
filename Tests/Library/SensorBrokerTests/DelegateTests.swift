import Dispatch
import Glibc
import Platform
import SensorBroker
import SensorBrokerSimulation
import Testing

/// Delegates of every kind, informed by a broker in this process.
@Suite(.timeLimit(.minutes(30))) struct DelegateTests {
    private let broker = Broker(.mock)

    @Test("a delegate is called in order, on the chosen executor, and not after it is gone")
    func delegate() async throws {
        let queue = WorkQueue()
        var logger: Logger? = Logger(target: 5)
        weak let reference = logger
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(5))
        accelerometer.setDelegate(logger, on: QueueExecutor { queue.add($0) })
        let readings = await logger?.readings() ?? []
        #expect(readings.count >= 5)
        #expect(zip(readings, readings.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
        #expect(queue.count > 0)
        logger = nil
        while broker.usage.listeners > 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(reference == nil)
    }

    @Test("an actor is called on its own executor, until the end of the manager")
    func actorDelegate() async throws {
        let counter = Counter()
        var location: LocationManager? = LocationManager(broker: broker, updateInterval: .milliseconds(100))
        location?.setDelegate(counter)
        while await counter.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        location = nil
        while broker.usage.listeners > 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await counter.states.contains(.active))
    }

    @Test("a class of the main actor is called there")
    @MainActor func mainActorDelegate() async throws {
        let view = View()
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(10))
        accelerometer.setDelegate(view)
        while view.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        accelerometer.setDelegate(nil)
        while broker.usage.listeners > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("a delegate that is removed where it is called is not called any more")
    @MainActor func removed() async throws {
        for round in 0..<20 {
            let view = View()
            let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(1))
            accelerometer.setDelegate(view)
            while view.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
            // While this keeps the main actor busy, readings come in.
            let newest = accelerometer.latest
            while accelerometer.latest == newest { usleep(1_000) }
            let count = view.count
            if round % 2 == 0 { accelerometer.setDelegate(nil) } else { accelerometer.setDelegate(View()) }
            for _ in 0..<100 { await Task.yield() }
            #expect(view.count == count)
        }
    }

    @Test("an actor that removes itself is not called any more")
    func removedByItself() async throws {
        for _ in 0..<20 {
            let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(1))
            let hermit = Hermit(accelerometer)
            accelerometer.setDelegate(hermit)
            while await !hermit.isAlone { try await Task.sleep(for: .milliseconds(1)) }
            for _ in 0..<100 { await Task.yield() }
            #expect(await hermit.late == 0)
        }
    }

    @Test("a delegate that is removed on its queue is not called any more")
    func removedOnItsQueue() async throws {
        let queue = DispatchQueue(label: "readings")
        for _ in 0..<20 {
            let logger = Logger(target: 3)
            let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(1))
            accelerometer.setDelegate(logger, on: QueueExecutor { queue.async(execute: $0) })
            _ = await logger.readings()
            let count = queue.sync {
                let newest = accelerometer.latest
                while accelerometer.latest == newest { usleep(1_000) }
                accelerometer.setDelegate(nil)
                return logger.count
            }
            for _ in 0..<20 { await withCheckedContinuation { done in queue.async { done.resume() } } }
            #expect(logger.count == count)
        }
    }

    @Test("the subscription of a delegate that is gone ends without an event")
    func gone() async throws {
        let accelerometer = Accelerometer(broker: broker, updateInterval: .seconds(1000))
        var logger: Logger? = Logger(target: 1)
        accelerometer.setDelegate(logger)
        _ = await logger?.readings()
        #expect(broker.usage.listeners == 1)
        logger = nil
        while broker.usage.listeners > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("an actor that is its own manager's delegate can go, as can one that sets a delegate")
    func actorsThatAreGone() async throws {
        let logger = Logger(target: 1)
        for delegate in [nil, logger] {
            var owner: Owner? = Owner(broker)
            weak let reference = owner
            await owner?.begin(with: delegate)
            while broker.usage.listeners == 0 || broker.acceleration == nil {
                try await Task.sleep(for: .milliseconds(1))
            }
            owner = nil
            while reference != nil || broker.usage.listeners > 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test("one delegate follows sensors of several kinds, and learns which one each event is of")
    func severalKinds() async throws {
        let (location, accelerometer) = (LocationManager(broker: broker), Accelerometer(broker: broker))
        let slow = Accelerometer(broker: broker, updateInterval: .milliseconds(100))
        let missing = Hygrometer(broker: broker)
        let ledger = Ledger()
        location.setDelegate(ledger)
        accelerometer.setDelegate(ledger)
        slow.setDelegate(ledger)
        missing.setDelegate(ledger)
        let accelerometers: Set = [accelerometer.id, slow.id]
        while await !ledger.has(locationsOf: location.id, accelerationsOf: accelerometers, errorOf: missing.id) {
            try await Task.sleep(for: .milliseconds(1))
        }
        slow.setDelegate(nil)
        #expect(await ledger.strangers == 0)
    }

    @Test("one delegate of two managers of one resource distinguishes them by what they are")
    func severalManagers() async throws {
        let managers = (0..<2).map { _ in Accelerometer(broker: broker, updateInterval: .milliseconds(10)) }
        let counter = Tally()
        for manager in managers { manager.setDelegate(counter) }
        while await counter.counts.values.filter({ $0 >= 3 }).count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await Set(counter.counts.keys) == Set(managers.map(\.id)))
        #expect(await counter.states[managers[1].id]?.contains(.active) == true)
    }

    @Test("a delegate that sleeps gets the newest readings, and the number that it missed")
    func slowDelegate() async throws {
        let sleeper = Sleeper()
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(1))
        accelerometer.setDelegate(sleeper)
        await sleeper.untilAsleep()
        // More than wait for it come meanwhile.
        var iterator = accelerometer.readings.makeAsyncIterator()
        for _ in 0..<400 { _ = try await iterator.next() }
        await sleeper.wake()
        // More than one gap, if a grant came between.
        while await sleeper.missed <= 100 { try await Task.sleep(for: .milliseconds(1)) }
    }
}

/// Work that runs on one thread at a time, and is counted.
private final class WorkQueue: Sendable {
    private let state = Locked(0)
    var count: Int { state.withLock { $0 } }
    func add(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0 += 1 }
        Task.detached { work() }
    }
}

private final class Logger: SensorDelegate, Sendable {
    private let received = Locked<[Reading<Acceleration>]>([])
    private let target: Int

    init(target: Int) { self.target = target }

    func didUpdate(_ reading: Reading<Acceleration>, of sensor: SensorID) { received.withLock { $0.append(reading) } }

    var count: Int { received.withLock { $0.count } }

    func readings() async -> [Reading<Acceleration>] {
        while received.withLock({ $0.count }) < target { try? await Task.sleep(for: .milliseconds(1)) }
        return received.withLock { $0 }
    }
}

private actor Counter: SensorDelegate {
    var count = 0
    var states: [ResourceState] = []
    func didUpdate(_ reading: Reading<Location>, of sensor: SensorID) { count += 1 }
    func didChange(_ state: ResourceState, of sensor: SensorID) { states.append(state) }
}

/// Counts what it gets of each sensor.
private actor Tally: SensorDelegate {
    var counts: [SensorID: Int] = [:]
    var states: [SensorID: [ResourceState]] = [:]
    func didUpdate(_ reading: Reading<Acceleration>, of sensor: SensorID) { counts[sensor, default: 0] += 1 }
    func didChange(_ state: ResourceState, of sensor: SensorID) { states[sensor, default: []].append(state) }
}

/// Is informed by sensors of several kinds.
private actor Ledger: SensorDelegate {
    private var locations: Set<SensorID> = []
    private var accelerations: Set<SensorID> = []
    private var errors: [SensorID: SensorError] = [:]
    private(set) var strangers = 0

    func didUpdate(_ reading: Reading<any Measurable>, of sensor: SensorID) {
        switch reading.value {
        case is Location: locations.insert(sensor)
        case let acceleration as Acceleration where acceleration.x.isFinite: accelerations.insert(sensor)
        default: strangers += 1
        }
    }

    func didFail(_ error: SensorError, of sensor: SensorID) { errors[sensor] = error }

    func has(locationsOf location: SensorID, accelerationsOf others: Set<SensorID>, errorOf missing: SensorID) -> Bool {
        locations == [location] && accelerations == others && errors == [missing: .noSuchResource(.humidity)]
    }
}

private actor Hermit: SensorDelegate {
    private let accelerometer: Accelerometer
    private var count = 0
    private(set) var isAlone = false
    private(set) var late = 0

    init(_ accelerometer: Accelerometer) { self.accelerometer = accelerometer }

    func didUpdate(_ reading: Reading<Acceleration>, of sensor: SensorID) {
        if isAlone { late += 1 }
        count += 1
        guard count == 5 else { return }
        // Readings come in meanwhile.
        while accelerometer.latest == reading { usleep(1_000) }
        accelerometer.setDelegate(nil)
        isAlone = true
    }
}

/// An actor with a manager of its own.
private actor Owner: SensorDelegate {
    private let accelerometer: Accelerometer

    init(_ broker: Broker) { accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(5)) }

    func begin(with delegate: Logger?) {
        if let delegate { accelerometer.setDelegate(delegate) } else { accelerometer.setDelegate(self) }
    }

    func didUpdate(_ reading: Reading<Acceleration>, of sensor: SensorID) {}
}

@MainActor private final class View: SensorDelegate {
    var count = 0
    func didUpdate(_ reading: Reading<Acceleration>, of sensor: SensorID) {
        MainActor.assertIsolated()
        count += 1
    }
}

private actor Sleeper: SensorDelegate {
    private(set) var missed = 0
    private var sleep: CheckedContinuation<Void, Never>?
    private var hasSlept = false

    func didUpdate(_ reading: Reading<Acceleration>, of sensor: SensorID) async {
        guard !hasSlept else { return }
        hasSlept = true
        await withCheckedContinuation { sleep = $0 }
    }

    func didMiss(_ gap: Gap, of sensor: SensorID) { if gap.cause == .slowConsumer { missed += gap.count ?? 0 } }

    func untilAsleep() async { while sleep == nil { try? await Task.sleep(for: .milliseconds(1)) } }

    func wake() { sleep?.resume() }
}
