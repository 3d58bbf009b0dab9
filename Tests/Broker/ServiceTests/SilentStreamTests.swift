import Delivery
import Readings
import Testing

@testable import Service

@Suite("Streams in which nothing comes", .timeLimit(.minutes(30))) struct SilentStreamTests {
    /// Looked at one by one, thousands of them cost the square of their number every half a minute.
    @Test("get a sign of life every half a minute, those together that fell silent within three seconds")
    func together() throws {
        let broker = try RevisedBroker()
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 600_000_000_000
        for _ in 0..<100 {
            try broker.subscribeAnother(request)
            _ = broker.wait(nanoseconds: 20_000_000)
        }
        let begin = broker.now
        let turns = broker.wait(nanoseconds: 33_000_000_000)
        #expect((1...8).contains(turns), "\(turns) turns")
        let connections = broker.connections
        #expect(connections.count == 101 && connections.dropFirst().allSatisfy { $0.lastSent > begin })
    }
}
