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

    @Test("wake nobody while another stream has readings, nor does the look for threads that hang")
    func unhurried() throws {
        let broker = try RevisedBroker()
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 0
        try broker.subscribe([request])
        request.intervalNanoseconds = 600_000_000_000
        try broker.subscribeAnother(request)
        // What is due by the clock is not due with a sample.
        _ = broker.wait(nanoseconds: 3_000_000)
        var longest: Int64 = 0
        for _ in 0..<4_000 {
            let following = broker.now + RevisedBroker.period
            if let deadline = broker.broker.deadline { #expect(deadline >= following) }
            broker.passInTurn()
            longest = max(longest, broker.now - broker.connections[1].lastSent)
        }
        #expect((26_000_000_000...30_000_000_000).contains(longest))
    }

    @Test("are looked at together also in the turns of another stream's readings")
    func togetherInTurns() throws {
        let broker = try RevisedBroker()
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 0
        try broker.subscribe([request])
        request.intervalNanoseconds = 600_000_000_000
        for _ in 0..<50 {
            try broker.subscribeAnother(request)
            _ = broker.wait(nanoseconds: 100_000_000)
        }
        let begin = broker.now
        for _ in 0..<3_300 { broker.passInTurn() }
        let sent = broker.connections.dropFirst().map(\.lastSent)
        #expect(sent.allSatisfy { $0 > begin } && Set(sent).count <= 4)
    }
}
