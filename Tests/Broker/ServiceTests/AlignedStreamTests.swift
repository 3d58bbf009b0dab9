import Delivery
import Readings
import Testing
import Varlink

@testable import Service

@Suite("An aligned stream", .timeLimit(.minutes(30))) struct AlignedStreamTests {
    private static let period = RevisedBroker.period

    /// The numbers of the lead's readings, each with that of its companion's; nil: it has none.
    private func pairs(_ messages: [Parameters]) throws -> [[Int?]] {
        try messages.flatMap { message in
            try (message.optionalObjects("readings") ?? []).flatMap { reading in
                let first = Int(try reading.integer("sequence"))
                let count = try reading.object("values").object("columns").array("x").count
                let companion = try reading.objects("aligned")[0].optionalObject("columns")?.array("x")
                return (0..<count).map { index in [first + index, companion.flatMap { number($0[index]) }] }
            }
        }
    }

    private func number(_ value: JSONValue) -> Int? {
        switch value {
        case .integer(let number): Int(number)
        case .number(let number): Int(number)
        default: nil
        }
    }

    private func stream(lead: ResourceName, companion: ResourceName) throws -> RevisedBroker {
        let broker = try RevisedBroker()
        var (first, second) = (Request(resource: lead), Request(resource: companion))
        first.intervalNanoseconds = Self.period
        second.intervalNanoseconds = Self.period
        second.alignTo = lead.description
        try broker.subscribe([first, second])
        return broker
    }

    /// A host that was held up has not made anybody silent: all that came in one turn is one.
    @Test(
        "has what came in one turn together, however late it is, and in whatever order",
        arguments: [ResourceName.accelerometer, RevisedBroker.gyroscope])
    func afterPause(lead: ResourceName) throws {
        let companion = lead == .accelerometer ? RevisedBroker.gyroscope : .accelerometer
        let broker = try stream(lead: lead, companion: companion)
        broker.passAtOnce(30)
        #expect(try pairs(broker.read()) == (0..<30).map { [$0, $0] })
        broker.pass()
        #expect(try pairs(broker.read()) == [[30, 30]])
        broker.passAtOnce(300)
        #expect(try pairs(broker.read()) == (31..<331).map { [$0, $0] })
    }

    @Test("sends what came with its companions before the lead's state changed, before that state")
    func states() throws {
        let broker = try stream(lead: RevisedBroker.gyroscope, companion: .accelerometer)
        broker.pass()
        _ = try broker.read()
        broker.passAndReturn()
        let words = try broker.read().flatMap { message in
            try (message.optionalObjects("readings") ?? []).map { "reading \(try $0.integer("sequence"))" }
                + (message.optionalObjects("resources") ?? []).map {
                    "\(try $0.string("name")) \(try $0.string("state"))"
                }
        }
        let reading = try #require(words.firstIndex(of: "reading 1"))
        let state = try #require(words.firstIndex(of: "gyroscope unavailable"))
        #expect(reading < state, "\(words)")
    }

    @Test("goes on without a companion that is silent, at once if it always was")
    func without() throws {
        let broker = try stream(lead: .accelerometer, companion: RevisedBroker.gyroscope)
        broker.pass([.acceleration])
        #expect(try pairs(broker.read()) == [[0, nil]])
        broker.pass()
        for _ in 0..<4 { broker.pass([.acceleration]) }
        #expect(try pairs(broker.read()) == [[1, 1]])
        for _ in 0..<4 { broker.pass([.acceleration]) }
        #expect(try pairs(broker.read()) == (2...9).map { [$0, nil] })
    }
}
