import Glibc
import Locking
import Observation
@testable import SensorBroker
import SensorBrokerSimulation
import SensorBrokerTesting
import Testing
import Varlink

/// What is the same for sensors of every kind.
@Suite(.timeLimit(.minutes(30))) struct SensorTests {
    private let broker = Broker(.mock)

    /// A kind of one's own: a view of what another kind measures.
    private struct Tilt: Measurable {
        static let firstResource = ResourceName.accelerometer
        let isUpright: Bool

        init?(_ measured: MeasuredValue) {
            guard let acceleration = Acceleration(measured) else { return nil }
            isUpright = acceleration.z > 0
        }
    }

    @Test("a kind of one's own shares the subscription of the kind that it looks at")
    func ownKind() async throws {
        let sensor = Sensor<Tilt>(broker: broker, updateInterval: .milliseconds(10))
        #expect(sensor.request.resource == .accelerometer)
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(10))
        var iterator = accelerometer.readings.makeAsyncIterator()
        let acceleration = try #require(try await iterator.next())
        let tilt = try await sensor.requestReading(maximumAge: .seconds(60), timeout: .patience)
        #expect(tilt.value.isUpright == (acceleration.value.z > 0))
        #expect(broker.usage.subscriptions == 1)
    }

    @Test("orientation has a sensor, too; one that the broker does not have is an error")
    func orientation() async {
        let sensor = Hygrometer(broker: broker)
        await #expect(throws: SensorError.noSuchResource(.humidity)) {
            try await sensor.requestReading(timeout: .patience)
        }
        #expect(Orientation(MeasuredValue.orientation(.leftUp)) == .leftUp)
        #expect(Orientation(MeasuredValue.numbers([0, 0, 1], of: .acceleration)) == nil)
    }

    @Test("a sensor of another kind's resource is an error")
    func otherKind() async {
        let sensor = Thermometer(broker: broker, resource: .accelerometer)
        await #expect(throws: SensorError.wrongKind(.accelerometer)) {
            try await sensor.requestReading(timeout: .patience)
        }
    }

    /// Waits until observers of what the closure reads have been notified.
    private func untilNotified(_ read: () -> Void) async {
        await withCheckedContinuation { continuation in
            withObservationTracking(read) { continuation.resume() }
        }
    }

    @Test("observers are notified of each new reading and of the state, after they have changed")
    func observation() async throws {
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(10))
        accelerometer.startUpdates()
        await untilNotified { _ = accelerometer.state }
        #expect(accelerometer.state != nil)
        var seen: Set<BootTime> = []
        while seen.count < 5 {
            await untilNotified { if let latest = accelerometer.latest { seen.insert(latest.timestamp) } }
        }
        await untilNotified { _ = broker.acceleration }
    }

    @Test("observers are notified of settings")
    func settings() async {
        let location = LocationManager(broker: broker)
        let notifications = Locked(0)
        for read: (LocationManager) -> Void in [
            { _ = $0.updateInterval }, { _ = $0.distanceFilter }, { _ = $0.desiredAccuracy }, { _ = $0.maximumAge },
        ] {
            withObservationTracking({ read(location) }, onChange: { notifications.withLock { $0 += 1 } })
        }
        let other = LocationManager(broker: broker)
        other.updateInterval = .seconds(3)
        other.maximumAge = .seconds(1)
        #expect(notifications.withLock { $0 } == 0, "another sensor's settings are not theirs")
        location.distanceFilter = 5
        #expect(notifications.withLock { $0 } == 4)
    }

    /// A model of a view, which counts how often what it shows has changed.
    @Observable final class Model {
        let accelerometer: Accelerometer
        init(_ accelerometer: Accelerometer) { self.accelerometer = accelerometer }
        var isKnown: Bool { accelerometer.latest != nil }
    }

    @Test("a model that reads a sensor is observed with it")
    func model() async {
        let model = Model(Accelerometer(broker: broker, updateInterval: .milliseconds(10)))
        model.accelerometer.startUpdates()
        while !model.isKnown { await untilNotified { _ = model.isKnown } }
    }

    @Test("a change between a look and its observation is notified all the same")
    func lateObserver() {
        var bench = HubBench()
        var observers = Observers()
        let now = bench.now
        _ = observers.observed(.accelerometer, in: bench.hub)
        #expect(observers.changes(in: bench.hub, now: now).isEmpty && observers.deadline == nil)
        _ = bench.read(.accelerometer)
        let reading = HubBench.acceleration("accelerometer", now.nanoseconds, 1)
        bench.reply(bench.connections("Read")[0], ["reading": reading])
        #expect(observers.changes(in: bench.hub, now: now).map(\.isReading) == [true])
        // Nothing is new, but somebody may have begun to observe only now.
        #expect(observers.changes(in: bench.hub, now: now).isEmpty)
        let later = now + Observers.repetitionNanoseconds
        #expect(observers.deadline == later && observers.changes(in: bench.hub, now: later).count == 1)
        #expect(observers.deadline == nil && observers.changes(in: bench.hub, now: later).isEmpty)
    }

    @Test("code that makes its own sensors and views gets another broker where a test wants it, and nowhere else")
    func scoped() async throws {
        struct View {
            @Latest(\.acceleration) var acceleration
        }
        let view = View()
        try await Broker.withCurrent(broker) {
            #expect(Broker.current === broker)
            let reading = try await Accelerometer().requestReading(timeout: .patience)
            #expect(reading.resource == .accelerometer)
            while view.acceleration == nil { try await Task.sleep(for: .milliseconds(1)) }
            let child = Task { Broker.current }
            #expect(await child.value === broker)
        }
        #expect(broker.usage.listeners == 1)
        Broker.withCurrent(Broker(.mock)) { #expect(Broker.current !== broker) }
    }

    @Test("ten thousand sensors share one connection, and each is small")
    func manySensors() throws {
        let sensors = (0..<10_000).map { _ in Accelerometer(broker: broker, updateInterval: .milliseconds(20)) }
        #expect(broker.usage.managers == 10_000 && broker.usage.subscriptions == 0)
        // Each block of the heap has a header of eight bytes, and a place in the array is a word. Some got a block that was
        // larger than they need, because another object had left it.
        let bytes = try #require(try sensors.map { try size(of: $0) + size(of: $0.tuning) }.min()) + 2 * 8 + 8
        #expect(bytes <= 312, "a sensor has \(bytes) bytes")
        withExtendedLifetime(sensors) {}
    }

    /// What an object takes of the heap. `malloc_usable_size(3)`
    private func size(of object: some AnyObject) throws -> Int {
        let found = unsafe dlsym(nil, "malloc_usable_size")
        let function = unsafe try #require(found)
        let size = unsafe unsafeBitCast(function, to: (@convention(c) (UnsafeMutableRawPointer?) -> Int).self)
        return unsafe size(Unmanaged.passUnretained(object).toOpaque())
    }
}

/// A double that belongs to the main actor.
@MainActor private final class FakeLocation: @MainActor LocationService {
    var request = SensorRequest(.location)
    var maximumAge: Duration?
    var latest: Reading<Location>?
    var state: ResourceState?
    var error: SensorError?
    var desiredAccuracy: Double?
    var isUpdating = false
    private let delegation = Delegation<Location>()

    var events: SensorEvents<Location> { SensorEvents([.state(.active)], endingIn: .timedOut) }

    func mutateRequest(_ body: (inout SensorRequest) -> Void) { body(&request) }
    func startUpdates() { isUpdating = true }
    func stopUpdates() { isUpdating = false }
    func setDelegate(reference: DelegateReference<Location>?) { delegation.set(reference, to: events) }
    @MainActor func requestReading(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Location> {
        guard let latest else { throw .timedOut }
        return latest
    }
}

/// A user of locations that belongs to the main actor.
@MainActor private final class Screen {
    let location: any LocationService
    init(location: any LocationService) { self.location = location }

    func refresh() async throws -> Location {
        location.updateInterval = .seconds(2)
        location.distanceFilter = 5
        location.desiredAccuracy = 10
        location.startUpdates()
        return try await location.requestLocation().value
    }
}

@MainActor private final class Ear: SensorDelegate {
    var states: [ResourceState] = []
    var error: SensorError?
    func didUpdate(_ reading: Reading<Location>, of sensor: SensorID) {}
    func didChange(_ state: ResourceState, of sensor: SensorID) { states.append(state) }
    func didFail(_ error: SensorError, of sensor: SensorID) { self.error = error }
}

/// Shared settings that belong to the main actor.
@MainActor private final class Theme: @MainActor SharedInstance {
    static let shared = Theme()
    var name = "dark"
}

/// Doubles and shared instances of the main actor.
@Suite(.timeLimit(.minutes(30))) @MainActor struct MainActorTests {
    @Test("a double of the main actor is a service like any other")
    func double() async throws {
        let fake = FakeLocation()
        let screen = Screen(location: fake)
        await #expect(throws: SensorError.timedOut) { try await screen.refresh() }
        #expect(fake.request.interval == .seconds(2) && fake.request.minimumChange == 5 && fake.isUpdating)
        fake.latest = Reading(Location(latitudeDegrees: 1, longitudeDegrees: 2), of: .location, at: .now)
        #expect(try await screen.refresh().longitudeDegrees == 2)
        let ear = Ear()
        fake.setDelegate(ear)
        while ear.error == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(ear.states == [.active])
    }

    @Test("a real sensor can be used on the main actor through its protocol")
    func real() async throws {
        let broker = Broker(.mock)
        let screen = Screen(location: LocationManager(broker: broker))
        screen.location.desiredAccuracy = nil
        #expect(try await screen.location.requestLocation().value.coordinate != nil)
        screen.location.stopUpdates()
    }

    @Test("a shared instance of the main actor can be looked at there")
    func sharedInstance() {
        @MainActor struct View {
            @Latest(\Theme.name) var name
        }
        Theme.shared.name = "light"
        #expect(View().name == "light")
    }
}
