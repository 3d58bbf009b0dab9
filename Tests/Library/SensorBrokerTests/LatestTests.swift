import Glibc
import Platform
import SensorBroker
import SensorBrokerSimulation
import SensorBrokerTestTraits
import Testing

@Suite(.timeLimit(.minutes(30))) struct LatestTests {
    /// A shared type of the user's own, which counts who wants it kept up to date.
    private final class Settings: SharedInstance, Sendable {
        static let shared = Settings()
        let theme = Locked("dark")
        let leases = Locked((taken: 0, given: 0))

        var name: String {
            keepUpToDate("theme") {
                leases.withLock { $0.taken += 1 }
                return Lease(settings: self)
            }
            return theme.withLock { $0 }
        }

        private final class Lease: Sendable {
            let settings: Settings
            init(settings: Settings) { self.settings = settings }
            deinit { settings.leases.withLock { $0.given += 1 } }
        }
    }

    /// A shared type that nobody may make.
    private final class Forbidden: SharedInstance, Sendable {
        static var shared: Forbidden {
            Issue.record("the shared instance was made")
            return Forbidden()
        }
        let value = 1
    }

    private struct Map {
        @Latest<Broker, Location?> var location: Location?
        init(_ broker: Broker) { _location = Latest(\.location, of: broker) }
    }

    private struct Dashboard {
        @Latest<Settings, String> var name: String
        init(_ settings: Settings) { _name = Latest(\.name, of: settings) }
    }

    private struct Unaware {
        @Latest(\Forbidden.value) var value
    }

    @Test("it shows the present value, and keeps it up to date as long as it is held")
    func view() {
        let settings = Settings()
        var dashboard: Dashboard? = Dashboard(settings)
        #expect(settings.leases.withLock { $0.taken } == 0)
        #expect(dashboard?.name == "dark")
        settings.theme.withLock { $0 = "light" }
        #expect(dashboard?.name == "light")
        var copy = dashboard
        #expect(copy?.name == "light")
        #expect(settings.leases.withLock { $0 } == (1, 0))
        dashboard = nil
        #expect(settings.leases.withLock { $0.given } == 0)
        copy = nil
        #expect(settings.leases.withLock { $0.given } == 1)
    }

    @Test("an override applies to its instance and later copies of it only, and can be removed")
    func override() {
        let settings = Settings()
        var (first, second) = (Dashboard(settings), Dashboard(settings))
        let before = first
        first.$name.override(with: "pink")
        let after = first
        #expect(first.name == "pink" && after.name == "pink")
        #expect(second.name == "dark" && before.name == "dark")
        second.$name.override(with: "blue")
        first.$name.removeOverride()
        #expect(first.name == "dark" && after.name == "pink" && second.name == "blue")
    }

    @Test("with an override, the shared instance is not created")
    func isolation() {
        var unaware = Unaware()
        unaware.$value.override(with: 7)
        #expect(unaware.value == 7)
    }

    @Test("an unknown location is a value too, and can be an override")
    func none() async throws {
        let broker = Broker(.mock)
        var view = Map(broker)
        while view.location == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(broker.usage.listeners == 1)
        view.$location.override(with: nil)
        #expect(view.location == nil)
    }

    @Test("a path into a value subscribes to what it goes through")
    func partOfAValue() async throws {
        struct View {
            @Latest<Broker, Double?> var latitude: Double?
            @Latest<Broker, Double?> var x: Double?
            init(_ broker: Broker) {
                _latitude = Latest(\.location?.latitudeDegrees, of: broker)
                _x = Latest(\.accelerationReading?.value.x, of: broker)
            }
        }
        let broker = Broker(.mock)
        let view = View(broker)
        #expect(broker.usage.listeners == 0)
        while view.latitude == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(broker.usage.listeners == 1 && view.$latitude.error == nil)
        while view.x == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(broker.usage.listeners == 2)
    }

    /// A shared type whose getters read sensors.
    private final class Vehicle: SharedInstance, Sendable {
        static let shared = Vehicle()
        let broker = Broker(.mock)
        let accelerometer: Accelerometer
        let isMoving = Locked(false)

        init() { accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(30)) }

        var speed: Double? { isMoving.withLock { $0 } ? broker.location?.speedMetersPerSecond : nil }
        var tilt: Double? { accelerometer.latest?.value.x }
    }

    @Test("what the getters of any type read is subscribed to, as soon as they read it")
    func throughAnotherType() async throws {
        struct View {
            @Latest<Vehicle, Double?> var speed: Double?
            @Latest<Vehicle, Double?> var tilt: Double?
            init(_ vehicle: Vehicle) {
                _speed = Latest(\.speed, of: vehicle)
                _tilt = Latest(\.tilt, of: vehicle)
            }
        }
        let vehicle = Vehicle()
        var view: View? = View(vehicle)
        #expect(view?.speed == nil && vehicle.broker.usage.listeners == 0)
        vehicle.isMoving.withLock { $0 = true }
        while view?.speed == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(vehicle.broker.usage.listeners == 1)
        // A manager is kept up to date at its own interval.
        while view?.tilt == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(vehicle.broker.release(.one(vehicle.accelerometer.request), evenInUse: true) == 1)
        view = nil
        #expect(vehicle.broker.usage.listeners == 0)
    }

    /// A shared type whose getter makes a manager whenever it is read.
    private final class Workshop: SharedInstance, Sendable {
        static let shared = Workshop()
        let broker = Broker(.mock)
        var tilt: Double? { Accelerometer(broker: broker).latest?.value.x }
    }

    @Test("a getter that makes a manager at each access leaves one subscription, not one for each access")
    func passingManagers() async throws {
        let workshop = Workshop()
        let view = Latest(\Workshop.tilt, of: workshop)
        while view.wrappedValue == nil { try await Task.sleep(for: .milliseconds(1)) }
        for _ in 0..<100 { _ = view.wrappedValue }
        #expect(workshop.broker.usage.listeners == 1 && workshop.broker.usage.managers <= 1)
    }

    /// A shared type that is kept up to date by a task, which reads a sensor.
    private final class Diary: SharedInstance, Sendable {
        static let shared = Diary()
        let broker = Broker(.mock)
        let entry = Locked<Task<Location?, Never>?>(nil)

        var pages: Int {
            keepUpToDate("pages") {
                entry.withLock { $0 = Task { broker.location } }
                return self
            }
            return 1
        }
    }

    @Test("a task that keeps a value up to date subscribes to nothing on behalf of the one who reads it")
    func startedTasks() async {
        let diary = Diary()
        let view = Latest(\Diary.pages, of: diary)
        #expect(view.wrappedValue == 1)
        _ = await diary.entry.withLock { $0 }?.value
        #expect(diary.broker.usage.listeners == 0)
    }

    /// Whether something has happened.
    private final class Flag: Sendable {
        private let state = Locked(false)
        var isSet: Bool { state.withLock { $0 } }
        func set() { state.withLock { $0 = true } }
    }

    /// A shared type whose getter starts a task, which reads a sensor while the getter waits, and after it.
    private final class Clerk: SharedInstance, Sendable {
        static let shared = Clerk()
        let broker = Broker(.mock)
        let errand = Locked<Task<Location?, Never>?>(nil)

        var pages: Int {
            let hasRead = Flag()
            let errand = Task {
                let location = broker.location
                hasRead.set()
                await Task.yield()
                return broker.location ?? location
            }
            while !hasRead.isSet { usleep(1_000) }
            self.errand.withLock { $0 = errand }
            return 1
        }
    }

    @Test("a task that a getter starts subscribes to nothing, neither while the getter runs nor later")
    func tasksOfGetters() async {
        let clerk = Clerk()
        let view = Latest(\Clerk.pages, of: clerk)
        #expect(view.wrappedValue == 1)
        _ = await clerk.errand.withLock { $0 }?.value
        #expect(clerk.broker.usage.listeners == 0)
        withExtendedLifetime(view) {}
    }

    @Test("after a release in use, the next access subscribes again")
    func released() async throws {
        let broker = Broker(.mock)
        let view = Map(broker)
        _ = view.location
        #expect(broker.usage.listeners == 1)
        broker.release(.all, evenInUse: true)
        #expect(broker.usage.listeners == 0 && view.$location.error == .cancelled)
        _ = view.location
        #expect(broker.usage.listeners == 1 && view.$location.error == nil)
    }

    /// Views of sensors of several kinds, each in a line.
    private struct Panel {
        @Latest(Accelerometer.self, every: .milliseconds(10)) var acceleration
        @Latest(\.acceleration, every: .milliseconds(20)) var slower
        @Latest(Accelerometer.self, \.value.x, every: .milliseconds(10)) var x
        @Latest(LocationManager.self, \.value.speedMetersPerSecond) var speed
        @Latest(Accelerometer.self, \.timestamp) var instant
        @Latest(Thermometer.self, named: "temperature:roof") var roof
        @Latest(Thermometer.self, named: "Temperature 1") var misspelt
        @Latest(Thermometer.self, named: "accelerometer") var other
    }

    @Test("a view is of a sensor of any kind, at any interval, by any name", .broker(.mock))
    func anyKind() async throws {
        let panel = Panel()
        while panel.acceleration == nil { try await Task.sleep(for: .milliseconds(1)) }
        let broker = Broker.current
        #expect(broker.release(.one(Accelerometer(updateInterval: .milliseconds(10)).request), evenInUse: true) == 1)
        while panel.slower == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(broker.release(.one(Accelerometer(updateInterval: .milliseconds(20)).request), evenInUse: true) == 1)
        while panel.x == nil || panel.instant == nil || panel.speed == nil {
            try await Task.sleep(for: .milliseconds(1))
        }
        let x: Double? = panel.x
        let speed: Double? = panel.speed
        #expect(x?.isFinite == true && speed?.isFinite == true)
        #expect(panel.roof == nil)
        while panel.$roof.error == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(panel.$roof.error == ResourceName("temperature:roof").map { .noSuchResource($0) })
    }

    @Test("what no sensor can be is an error of the view", .broker(.mock))
    func wrongNames() async throws {
        let panel = Panel()
        #expect(panel.misspelt == nil && panel.$misspelt.error?.description.contains("'Temperature 1'") == true)
        while panel.$other.error == nil {
            _ = panel.other
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(panel.other == nil && panel.$other.error == .wrongKind(.accelerometer))
    }

    /// A shared type whose getter reads a sensor without a manager.
    private final class Compass: SharedInstance, Sendable {
        static let shared = Compass()
        var x: Double? { Broker.current.latest(of: Accelerometer.self, every: .milliseconds(30))?.value.x }
    }

    @Test("a getter may read a sensor of the present broker at an interval of its own", .broker(.mock))
    func getter() async throws {
        let view = Latest(\Compass.x)
        while view.wrappedValue == nil { try await Task.sleep(for: .milliseconds(1)) }
        let request = Accelerometer(updateInterval: .milliseconds(30)).request
        #expect(Broker.current.release(.one(request), evenInUse: true) == 1)
    }

    @Test("a reading that is older than the limit counts as unknown")
    func age() async throws {
        struct View {
            @Latest<Broker, Location?> var fresh: Location?
            @Latest<Broker, Location?> var any: Location?
            init(_ broker: Broker) {
                _fresh = Latest(\.location, of: broker, maximumAge: .zero)
                _any = Latest(\.location, of: broker)
            }
        }
        let broker = Broker(.mock)
        let view = View(broker)
        while view.any == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(view.fresh == nil)
    }

    /// A shared type whose value needs itself to be kept up to date.
    private final class Spiral: SharedInstance, Sendable {
        static let shared = Spiral()
        let view = Locked<Latest<Spiral, Int>?>(nil)

        var depth: Int {
            keepUpToDate("depth") {
                _ = view.withLock { $0 }?.wrappedValue
                return self
            }
            return 1
        }
    }

    @Test("what keeps a value up to date may read that value while it is made")
    func reentrant() {
        let spiral = Spiral()
        let view = Latest(\Spiral.depth, of: spiral)
        spiral.view.withLock { $0 = view }
        #expect(view.wrappedValue == 1)
        spiral.view.withLock { $0 = nil }
    }

    @Test("it may be read by many tasks at once")
    func concurrency() async {
        let settings = Settings()
        let dashboard = Dashboard(settings)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask {
                    var own = dashboard
                    for round in 0..<100 {
                        if round % 2 == 0 { own.$name.override(with: "\(index)") } else { own.$name.removeOverride() }
                        #expect(own.name == (round % 2 == 0 ? "\(index)" : "dark"))
                    }
                }
            }
        }
        #expect(settings.leases.withLock { $0.taken } == 1)
    }
}
