import Foundation
import Glibc
import Locking
import Observation
@testable import SensorBroker
import SensorBrokerSimulation
import Testing

/// What a program sees while there is no daemon, no permission, or no such sensor.
@Suite(.timeLimit(.minutes(30))) struct AbsenceTests {
    /// Waits until something is so, and observers of what the closure reads are notified of each change on the way.
    private func untilObserved(_ isTrue: () -> Bool) async {
        while true {
            let isDone = Locked(false)
            await withCheckedContinuation { continuation in
                let resume = Locked<CheckedContinuation<Void, Never>?>(continuation)
                withObservationTracking {
                    isDone.withLock { $0 = isTrue() }
                } onChange: {
                    resume.withLock { $0.take() }?.resume()
                }
                if isDone.withLock({ $0 }) { resume.withLock { $0.take() }?.resume() }
            }
            if isDone.withLock({ $0 }) { return }
        }
    }

    @Test("a manager and a view report that there is no daemon; they, and who observes them, recover when it comes")
    func missing() async throws {
        let daemon = try DaemonProcess(isStarted: false)
        let broker = Broker(socket: daemon.socket)
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(20))
        let view = Latest(\.acceleration, of: broker)
        accelerometer.startUpdates()
        _ = view.wrappedValue
        let error = SensorError.brokerMissing(paths: [daemon.socket])
        await untilObserved { accelerometer.error == error }
        await untilObserved { accelerometer.state == .unavailable(reason: "\(error)") }
        await untilObserved { view.error == error }
        // A follower that comes late begins with it, too.
        var events = broker.lifecycle.makeAsyncIterator()
        #expect(await events.next() == .disconnected(error))
        try daemon.start()
        await untilObserved { accelerometer.error == nil }
        await untilObserved { accelerometer.latest != nil && view.wrappedValue != nil }
        await untilObserved { accelerometer.state == .active }
        #expect(view.error == nil)
    }

    @Test("who has read the error before the updates start is notified of it; so is who has a sensor of the wrong kind")
    func readFirst() async throws {
        let missing = Accelerometer(broker: Broker(socket: "/nonexistent"))
        let isNotified = Locked(false)
        withObservationTracking {
            #expect(missing.error == nil)
        } onChange: {
            isNotified.withLock { $0 = true }
        }
        missing.startUpdates()
        #expect(isNotified.withLock { $0 })
        await untilObserved { missing.error == .brokerMissing(paths: ["/nonexistent"]) }
        missing.stopUpdates()
        #expect(missing.error == nil)
        let wrong = Accelerometer(broker: Broker(.mock), resource: .location)
        wrong.startUpdates()
        await untilObserved { wrong.error == .wrongKind(.location) }
        #expect(wrong.latest == nil)
    }

    @Test("a manager that only looks knows why, too")
    func looking() async {
        let thermometer = Thermometer(broker: Broker(socket: "/nonexistent"))
        await untilObserved { thermometer.state != nil }
        let error = SensorError.brokerMissing(paths: ["/nonexistent"])
        #expect(thermometer.state == .unavailable(reason: "\(error)") && thermometer.error == nil)
        #expect("\(error)".contains("systemctl start"))
    }

    @Test("an empty path of a socket is an error that states that, and not a broker that has stopped")
    func emptyPath() async {
        let error = await #expect(throws: SensorError.self) { try await Broker(socket: "").resources() }
        #expect(error.map { "\($0)" }?.contains("path of the broker's socket is empty") == true)
    }

    @Test("a broker that nobody uses holds no descriptor, and one that is used does")
    func unused() async throws {
        let broker = Broker(.local("none") { () throws(SensorError) in throw .brokerStopped(path: "/x") })
        #expect(!broker.session.core.hasWakeEvent)
        _ = try? await broker.resources()
        #expect(broker.session.core.hasWakeEvent)
    }

    @Test("a daemon that is stopped is named where a call is not answered")
    func unansweredWords() {
        #expect("\(SensorError.unanswered(seconds: 15))".contains("did not answer for 15 s"))
    }

    @Test("without permission, the error states which, and what to do")
    func denied() async throws {
        let error = SensorError.notPermitted(path: "/run/sensorbroker/io.sensorbroker.Broker")
        let broker = Broker(Broker.Configuration(.local("a closed one") { () throws(SensorError) in throw error }))
        let accelerometer = Accelerometer(broker: broker)
        accelerometer.startUpdates()
        await untilObserved { accelerometer.error == error }
        #expect("\(error)".contains("usermod"))
        await untilObserved { accelerometer.state == .unavailable(reason: "\(error)") }
        var events = broker.lifecycle.makeAsyncIterator()
        while let event = await events.next() { if case .disconnected(error) = event { break } }
    }

    @Test("a sensor that a restarted daemon does not have is not active, and is found when the next one has it")
    func gone() async throws {
        let daemon = try DaemonProcess()
        let broker = Broker(socket: daemon.socket)
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(20))
        accelerometer.startUpdates()
        await untilObserved { accelerometer.state == .active && accelerometer.latest != nil }
        daemon.kill()
        try daemon.start(scenario: "[temperature]\nNoise=0.1\n")
        let error = SensorError.noSuchResource(.accelerometer)
        await untilObserved { accelerometer.error == error }
        await untilObserved { accelerometer.state == .unavailable(reason: "\(error)") }
        #expect(accelerometer.latest == nil)
        let ended = await #expect(throws: SensorError.self) {
            for try await _ in Accelerometer(broker: broker).readings { break }
        }
        #expect(ended == error)
        daemon.kill()
        try daemon.start()
        await untilObserved { accelerometer.state == .active && accelerometer.error == nil }
        await untilObserved { accelerometer.latest != nil }
    }

    @Test("a stream that waits begins when the sensor is there, and reports meanwhile that it is not")
    func waiting() async throws {
        let daemon = try DaemonProcess(isStarted: false)
        try daemon.start(scenario: "[temperature]\nNoise=0.1\n")
        let accelerometer = Accelerometer(broker: Broker(socket: daemon.socket), updateInterval: .milliseconds(20))
        accelerometer.mutateRequest { $0.waitsForResource = true }
        var events = accelerometer.events.makeAsyncIterator()
        let reason = "\(SensorError.noSuchResource(.accelerometer))"
        #expect(try await events.next() == .state(.unavailable(reason: reason)))
        daemon.stop()
        try daemon.start()
        while let event = try await events.next() { if case .reading = event { return } }
        Issue.record("the stream ended")
    }
}
