public import SensorBroker
public import Testing

/// Gives each test a broker of its own, in the place of `Broker.shared`: for the sensors and views that are made in the test, or by code
/// that it calls.
///
///     @Test(.broker(.mock(scenario: "city-drive"))) func dashboard() async throws {
///         #expect(try await Dashboard().speed() != nil)
///     }
///
/// On a suite it applies to each of its tests, and to each argument of a test. Tests that run at the same time do not disturb each other.
public struct BrokerTrait: TestTrait, SuiteTrait, TestScoping {
    private let transport: @Sendable () throws -> Broker.Transport

    fileprivate init(_ transport: @escaping @Sendable () throws -> Broker.Transport) { self.transport = transport }

    /// True: each test of a suite has a broker of its own.
    public var isRecursive: Bool { true }

    /// Runs a test with its broker, which ends with it.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Broker.withCurrent(Broker(try transport())) { try await function() }
    }
}

extension Trait where Self == BrokerTrait {
    /// A broker of its own that gets its readings this way; the expression is evaluated for each test.
    public static func broker(_ transport: @autoclosure @escaping @Sendable () throws -> Broker.Transport) -> Self {
        Self(transport)
    }
}
