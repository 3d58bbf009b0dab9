import Testing
import Varlink

@testable import SensorBroker

/// One reading: always an answer.
@Suite struct HubReadTests {
    private var bench = HubBench()

    private func error(_ id: ReaderID) -> SensorError? {
        if case .failure(let error) = bench.answers[id] { error } else { nil }
    }

    private func value(_ id: ReaderID) -> Measured? {
        if case .success(let measured) = bench.answers[id] { measured } else { nil }
    }

    @Test("all readers of a resource share one call")
    mutating func shared() {
        let ids = (0..<100).map { _ in bench.read(.accelerometer) }
        #expect(bench.calls.count == 1)
        let stamp = bench.now.nanoseconds
        bench.reply(bench.connections("Read")[0], ["reading": HubBench.acceleration("accelerometer", stamp, 1)])
        #expect(ids.allSatisfy { value($0) != nil })
        #expect(bench.open.count == bench.connections("ListResources").count)
    }

    @Test("a reading from before the request is not accepted, and the call is repeated for the remaining readers")
    mutating func tooOld() {
        let early = bench.read(.accelerometer)
        let stamp = bench.now.nanoseconds
        bench.advance(1_000)
        let late = bench.read(.accelerometer)
        bench.reply(bench.connections("Read")[0], ["reading": HubBench.acceleration("accelerometer", stamp, 1)])
        #expect(value(early) != nil && bench.answers[late] == nil)
        #expect(bench.connections("Read").count == 1)
    }

    @Test("a known reading that is recent enough is returned at once")
    mutating func known() {
        _ = bench.read(.accelerometer)
        let stamp = bench.now.nanoseconds
        bench.reply(bench.connections("Read")[0], ["reading": HubBench.acceleration("accelerometer", stamp, 1)])
        bench.advance(1_000_000)
        let known = bench.read(.accelerometer, maximumAge: 1_000_000)
        #expect(value(known) != nil)
        let id = bench.read(.accelerometer, maximumAge: 999_999)
        #expect(bench.answers[id] == nil)
    }

    @Test("a read times out without any answer")
    mutating func timeout() {
        let id = bench.read(.location, timeout: 2_000_000_000)
        #expect(bench.hub.deadline == bench.now + 2_000_000_000)
        bench.advance(2_000_000_000)
        #expect(error(id) == .timedOut)
        #expect(bench.connections("Read").isEmpty)
    }

    @Test("a read that waits for no reading gets what the broker has, whose answer has a second")
    mutating func atOnce() throws {
        let (first, second, third) = (
            bench.read(.location, maximumAge: 1_000, timeout: 0), bench.read(.accelerometer, timeout: 0),
            bench.read(.gyroscope, timeout: 0)
        )
        let reads = bench.calls.filter { $0.method == "Read" }
        #expect(reads.map { try? $0.parameters.integer("timeoutNanoseconds") } == [0, 0, 0])
        let stamp = bench.now.nanoseconds
        bench.advance(500)
        let calls = bench.connections("Read")
        try #require(calls.count == 3)
        bench.reply(calls[0], ["reading": HubBench.location(stamp, error: 1)])
        bench.refuse(calls[1], "TimedOut")
        #expect(value(first) != nil && error(second) == .timedOut && bench.answers[third] == nil)
        bench.advance(1_000_000_000)
        #expect(error(third) == .timedOut && bench.connections("Read").isEmpty)
    }

    @Test("it waits for a reading that is accurate enough, and takes the best one at the deadline")
    mutating func accuracy() {
        let (exact, modest) = (
            bench.read(.location, timeout: 1_000, accuracy: 2), bench.read(.location, timeout: 1_000, accuracy: 5)
        )
        for metres in [9.0, 4, 6] {
            bench.reply(
                bench.connections("Read")[0], ["reading": HubBench.location(bench.now.nanoseconds, error: metres)])
        }
        guard case .location(let location) = value(modest)?.measurement else {
            Issue.record("no answer")
            return
        }
        #expect(location.horizontalErrorMeters == 4 && location.fix == .twoDimensional)
        #expect(bench.answers[exact] == nil)
        bench.advance(1_000)
        guard case .location(let best) = value(exact)?.measurement else {
            Issue.record("no answer")
            return
        }
        #expect(best.horizontalErrorMeters == 4)
    }

    @Test("a known reading that is not accurate enough is not requested again, whatever its age")
    mutating func knownAndVague() throws {
        let id = bench.read(.location, maximumAge: 60_000_000_000, accuracy: 2)
        let stamp = bench.now.nanoseconds - 5_000_000_000
        bench.reply(bench.connections("Read")[0], ["reading": HubBench.location(stamp, error: 9)])
        #expect(bench.answers[id] == nil)
        let again = try #require(bench.calls.last { $0.method == "Read" })
        #expect(try again.parameters.integer("maximumAgeNanoseconds") == 4_999_999_999)
        bench.reply(bench.connections("Read")[0], ["reading": HubBench.location(stamp + 1, error: 1)])
        #expect(value(id) != nil)
    }

    @Test("a missing broker, a missing resource and a missing device are reported")
    mutating func failures() {
        let missing = bench.read(.location)
        bench.lose(bench.connections("Read")[0], .brokerMissing(paths: ["/x"]))
        #expect(error(missing) == .brokerMissing(paths: ["/x"]))
        let unknown = bench.read(.location)
        bench.refuse(bench.connections("Read")[0], "NoSuchResource", ["resource": "location"])
        #expect(error(unknown) == .noSuchResource(.location))
        let unplugged = bench.read(.location)
        bench.refuse(
            bench.connections("Read")[0], "ResourceUnavailable", ["resource": "location", "reason": "unplugged"])
        #expect(error(unplugged) == .resourceUnavailable(.location, reason: "unplugged"))
    }

    @Test("a cancelled reader is answered, and the call ends with the last one")
    mutating func cancel() {
        let id = bench.read(.location)
        bench.act { hub, now in hub.cancelRead(id, now: now) }
        #expect(error(id) == .cancelled && bench.connections("Read").isEmpty)
    }
}
