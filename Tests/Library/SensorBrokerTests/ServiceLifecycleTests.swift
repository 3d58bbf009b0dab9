import Foundation
import Locking
import SensorBroker
import SensorBrokerSimulation
import Testing

// What swift-service-lifecycle has, with the same names and the same meaning: a graceful shutdown cancels nothing, so a service has to
// notice it.

private protocol Service: Sendable {
    func run() async throws
}

/// The shutdown of a group of services.
private final class Shutdown: Sendable {
    @TaskLocal static var present: Shutdown?
    private let state = Locked((hasBegun: false, waiting: [CheckedContinuation<Void, Never>]()))

    func begin() {
        let waiting = state.withLock { state in
            state.hasBegun = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    func hasBegun() async {
        await withCheckedContinuation { waiter in
            let hasBegun = state.withLock { state in
                if !state.hasBegun { state.waiting.append(waiter) }
                return state.hasBegun
            }
            if hasBegun { waiter.resume() }
        }
    }
}

/// Cancels the closure when a graceful shutdown begins.
private func cancelWhenGracefulShutdown<Value: Sendable>(
    _ operation: @Sendable @escaping () async throws -> Value
) async throws -> Value {
    let task = Task(operation: operation)
    // Without a group there is no shutdown.
    if let shutdown = Shutdown.present {
        Task {
            await shutdown.hasBegun()
            task.cancel()
        }
    }
    return try await withTaskCancellationHandler {
        try await task.value
    } onCancel: {
        task.cancel()
    }
}

// This is what the page "One device, many users" shows.
extension Sensor: Service {
    func run() async throws {
        try await cancelWhenGracefulShutdown { [events] in
            for try await _ in events {}
        }
    }
}

/// A manager as a service of a program.
@Suite(.timeLimit(.minutes(30))) struct ServiceLifecycleTests {
    private let broker = Broker(.mock)

    @Test("a manager is a service that ends at a graceful shutdown, and keeps its newest reading up to date until then")
    func shutdown() async throws {
        let manager = Accelerometer(broker: broker, updateInterval: .milliseconds(10))
        let (service, shutdown): (any Service, Shutdown) = (manager, Shutdown())
        let group = Task { try await Shutdown.$present.withValue(shutdown) { try await service.run() } }
        while manager.latest == nil { try await Task.sleep(for: .milliseconds(1)) }
        shutdown.begin()
        try await group.value
        while broker.usage.listeners > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("the page shows the conformance that is tested here")
    func page() throws {
        let file = URL(filePath: #filePath)
        let root = (0..<4).reduce(file) { url, _ in url.deletingLastPathComponent() }
        let page = root.appending(path: "Sources/Library/SensorBroker/SensorBroker.docc/OneDeviceManyUsers.md")
        let code = try String(contentsOf: file, encoding: .utf8)
        let begin = try #require(code.range(of: "        try await cancelWhenGracefulShutdown {"))
        let end = try #require(code.range(of: "\n    }\n}", range: begin.upperBound..<code.endIndex))
        let body = code[begin.lowerBound..<end.upperBound]
        #expect(try String(contentsOf: page, encoding: .utf8).contains(body))
    }

    @Test("it ends at a cancellation, too, and fails with its stream")
    func end() async throws {
        let service: any Service = Accelerometer(broker: broker, updateInterval: .milliseconds(10))
        let task = Task { try await Shutdown.$present.withValue(Shutdown()) { try await service.run() } }
        while broker.acceleration == nil { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        try await task.value
        let missing: any Service = Hygrometer(broker: broker)
        await #expect(throws: SensorError.noSuchResource(.humidity)) { try await missing.run() }
    }
}
