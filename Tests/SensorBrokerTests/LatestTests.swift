import Platform
import SensorBroker
import Testing

@Suite(.timeLimit(.minutes(30))) struct LatestTests {
    /// A shared type of the user's own, which counts who wants it kept up to date.
    private final class Settings: SharedInstance {
        static let shared = Settings()
        let theme = Locked("dark")
        let leases = Locked((taken: 0, given: 0))

        var name: String { theme.withLock { $0 } }

        func lease(for keyPath: PartialKeyPath<Settings>) -> (any Sendable & AnyObject)? {
            leases.withLock { $0.taken += 1 }
            return Lease(settings: self)
        }

        private final class Lease: Sendable {
            let settings: Settings
            init(settings: Settings) { self.settings = settings }
            deinit { settings.leases.withLock { $0.given += 1 } }
        }
    }

    /// A shared type that nobody may make.
    private final class Forbidden: SharedInstance {
        static var shared: Forbidden {
            Issue.record("the shared instance was made")
            return Forbidden()
        }
        let value = 1
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
        first.$name.override = "pink"
        let after = first
        #expect(first.name == "pink" && after.name == "pink")
        #expect(second.name == "dark" && before.name == "dark")
        second.$name.override = "blue"
        first.$name.override = nil
        #expect(first.name == "dark" && after.name == "pink" && second.name == "blue")
    }

    @Test("with an override, the shared instance is not created")
    func isolation() {
        var unaware = Unaware()
        unaware.$value.override = 7
        #expect(unaware.value == 7)
    }

    @Test("an unknown location is a value too, and can be an override")
    func none() async throws {
        struct View {
            @Latest<Broker, Location?> var location: Location?
            init(_ broker: Broker) { _location = Latest(\.location, of: broker) }
        }
        let broker = Broker(Configuration(.mock))
        var view = View(broker)
        while view.location == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(broker.usage.listeners == 1)
        view.$location.override = .some(nil)
        #expect(view.location == nil)
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
                        own.$name.override = round % 2 == 0 ? "\(index)" : nil
                        #expect(own.name == (round % 2 == 0 ? "\(index)" : "dark"))
                    }
                }
            }
        }
        #expect(settings.leases.withLock { $0.taken } == 1)
    }
}
