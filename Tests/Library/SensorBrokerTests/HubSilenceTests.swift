import Testing
import Varlink

@testable import SensorBroker

/// What is known of a resource when nothing comes any more.
@Suite struct HubSilenceTests {
    private var bench = HubBench()

    private var state: ResourceState? { bench.hub.state(of: .accelerometer) }

    private func isStale(_ state: ResourceState?) -> Bool { if case .stale = state { true } else { false } }

    private mutating func start(_ request: SensorRequest) -> (listener: ListenerID, connection: ConnectionID) {
        let listener = bench.listen(request)
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        return (listener, connection)
    }

    @Test("a lost connection is seen in the state at once, until the broker is back")
    mutating func lost() {
        let (_, connection) = start(.every(20))
        bench.deliver(connection, x: 1)
        #expect(state == .active)
        bench.lose(connection)
        #expect(isStale(state))
        bench.advance(300_000_000)
        let next = bench.connections("Subscribe")[0]
        #expect(isStale(state))
        bench.begin(next)
        #expect(state == .active)
    }

    @Test("a lost connection of a program without streams is seen, too")
    mutating func lostWatch() {
        bench.act { hub, now in hub.attach(now: now) }
        let watch = bench.connections("ListResources")[0]
        bench.reply(watch, ["resources": [HubBench.resource("accelerometer", state: "idle")]], continues: true)
        #expect(state == .idle)
        bench.lose(watch)
        #expect(isStale(state))
    }

    @Test("a stream that is refused after an absence leaves its resource stale")
    mutating func refused() {
        let (_, connection) = start(.every(20))
        bench.lose(connection)
        bench.advance(300_000_000)
        bench.refuse(bench.connections("Subscribe")[0], "TooManySubscriptions", ["limit": 1])
        _ = bench.list()
        bench.reply(
            bench.connections("ListResources")[0], ["resources": [HubBench.resource("accelerometer")]])
        #expect(bench.hub.broker.link.error == nil && isStale(state))
    }

    @Test("a refused request does not make a resource stale that another one delivers")
    mutating func refusedBeside() {
        let (_, connection) = start(.every(20))
        bench.deliver(connection, x: 1)
        _ = bench.listen(.every(30))
        bench.refuse(bench.connections("Modify")[0], "TooManyRequests", ["limit": 1])
        bench.deliver(connection, x: 2)
        #expect(state == .active)
        bench.lose(connection)
        #expect(isStale(state))
    }

    @Test("a program that stood still takes nothing for missing before it has looked what came meanwhile")
    mutating func stoodStill() throws {
        let (listener, connection) = start(.every(20))
        let reader = bench.read(.location)
        bench.deliver(connection, x: 1)
        bench.standStill(200_000_000_000)
        #expect(state == .active && bench.answers[reader] == nil && bench.open[connection] != nil)
        // It looks at once.
        let looksAt = try #require(bench.act { hub, _ in hub.deadline })
        #expect(looksAt <= bench.now)
        bench.deliver(connection, x: 2)
        bench.advance(0)
        #expect(state == .active && bench.open[connection] != nil)
        #expect(!(bench.sent[listener] ?? []).contains { if case .state(.stale) = $0 { true } else { false } })
        #expect(throws: SensorError.timedOut) { try bench.answers[reader]?.get() }
    }

    @Test("a silence is judged by the interval", arguments: [(20, 1_100), (1_000, 6_000)])
    mutating func silence(milliseconds: Int, silentAfter: Int64) {
        let (listener, connection) = start(.every(milliseconds))
        for _ in 0..<3 {
            bench.advance(Int64(milliseconds) * 1_000_000)
            bench.deliver(connection, x: 1)
        }
        // It may look earlier, and then at the very time.
        #expect((bench.hub.deadline ?? bench.now + .max) <= bench.now + silentAfter * 1_000_000)
        bench.advance(silentAfter * 1_000_000 - 1)
        #expect(state == .active && bench.hub.deadline == bench.now + 1)
        bench.advance(1)
        #expect(isStale(state))
        #expect(bench.sent[listener]?.last == state.map { .state($0) })
        let count = bench.sent[listener]?.count
        bench.advance(2_000_000_000)
        #expect(bench.sent[listener]?.count == count && bench.open[connection] != nil)
        bench.deliver(connection, x: 2)
        #expect(state == .active)
        #expect(bench.sent[listener]?.suffix(2).first == .state(.active))
    }

    @Test("a device that is slower than its interval is not silent, and neither is a batch")
    mutating func slow() {
        var request = SensorRequest.every(20)
        request.batch = .seconds(4)
        let (_, connection) = start(request)
        let grant: JSONValue = [
            "resource": "accelerometer", "intervalNanoseconds": 20_000_000, "batchNanoseconds": 4_000_000_000,
        ]
        bench.reply(connection, ["grants": [grant]], continues: true)
        bench.advance(5_000_000_000)
        #expect(state == .active)
        bench.deliver(connection, x: 1)
        bench.advance(5_000_000_000)
        bench.deliver(connection, x: 2)
        bench.advance(29_999_999_999)
        #expect(state == .active)
        bench.advance(1)
        #expect(isStale(state))
    }

    @Test("where nothing is due, a silence means nothing")
    mutating func nothingDue() {
        var request = SensorRequest.every(20)
        request.minimumChange = 1
        let (_, connection) = start(request)
        bench.deliver(connection, x: 1)
        bench.advance(60_000_000_000)
        #expect(state == .active)
        let unplugged = HubBench.resource("accelerometer", state: "unavailable")
        _ = bench.listen(.every(30))
        bench.carryOut(of: connection)
        bench.reply(connection, ["resources": [unplugged]], continues: true)
        bench.advance(60_000_000_000)
        #expect(state == .unavailable(reason: ""))
        // It is back, and the first reading takes its time.
        bench.reply(connection, ["resources": [HubBench.resource("accelerometer")]], continues: true)
        bench.advance(1_100_000_000)
        #expect(state == .active)
        bench.advance(100_000_000)
        #expect(isStale(state))
    }

    @Test("what the broker reports after a silence counts more than the silence")
    mutating func overruled() {
        let (listener, connection) = start(.every(20))
        bench.advance(2_000_000_000)
        #expect(isStale(state))
        let unplugged = HubBench.resource("accelerometer", state: "unavailable")
        bench.reply(connection, ["resources": [unplugged]], continues: true)
        #expect(state == .unavailable(reason: ""))
        bench.reply(connection, ["resources": [HubBench.resource("accelerometer")]], continues: true)
        #expect(state == .active && bench.sent[listener]?.last == .state(.active))
        bench.advance(2_000_000_000)
        #expect(isStale(state))
        bench.lose(connection)
        bench.advance(300_000_000)
        bench.begin(bench.connections("Subscribe")[0])
        #expect(state == .active && bench.sent[listener]?.last == .state(.active))
    }

    @Test("a new listener of a silent stream is informed that it is silent")
    mutating func newcomer() {
        _ = start(.every(20))
        bench.advance(2_000_000_000)
        let newcomer = bench.listen(.every(20))
        #expect(bench.sent[newcomer]?.last == state.map { .state($0) } && isStale(state))
    }

    @Test("the newest reading has an age, and counts as unknown when it is older than a limit")
    mutating func age() throws {
        let (_, connection) = start(.every(20))
        bench.deliver(connection, x: 1)
        bench.advance(500_000_000)
        let (hub, now) = (bench.hub, bench.now)
        #expect(hub.newest(.accelerometer, maximumAge: 500_000_000, now: now) != nil)
        #expect(hub.newest(.accelerometer, maximumAge: 499_999_999, now: now) == nil)
        #expect(hub.newest(.accelerometer, maximumAge: nil, now: now) != nil)
        let measured = try #require(hub.broker.newest[.accelerometer])
        let reading = try #require(Reading<Acceleration>(measured))
        #expect(reading.age(at: now) == .milliseconds(500))
        #expect(reading.age(at: BootTime(nanoseconds: 0)) == .zero && reading.age >= .zero)
    }
}
