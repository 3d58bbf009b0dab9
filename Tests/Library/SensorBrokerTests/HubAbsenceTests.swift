import Testing
import Varlink

@testable import SensorBroker

/// What becomes of those who want a resource while the broker is away, refuses them, or does not have it.
@Suite struct HubAbsenceTests {
    private var bench = HubBench()
    private let noAccelerometer = SensorError.noSuchResource(.accelerometer)

    private var state: ResourceState? { bench.hub.state(of: .accelerometer) }

    private func unavailable(_ error: SensorError) -> ResourceState { .unavailable(reason: "\(error)") }

    /// A listener that waits for its resource: as `startUpdates` does, or since its request sets that.
    private mutating func wait(isLasting: Bool = false) -> ListenerID {
        bench.act { hub, now in
            let id: ListenerID = hub.makeID()
            var asked = SensorRequest.every(20)
            asked.waitsForResource = true
            hub.listen(id, to: .every(20), asked: isLasting ? nil : asked, isLasting: isLasting, now: now)
            return id
        }
    }

    private mutating func refuse() {
        let open = bench.connections("Modify") + bench.connections("Subscribe")
        bench.refuse(open[0], "NoSuchResource", ["resource": "accelerometer"])
    }

    private mutating func list(_ names: String...) {
        let resources = JSONValue.array(names.map { HubBench.resource($0) })
        bench.reply(bench.connections("ListResources")[0], ["resources": resources], continues: true)
    }

    @Test(
        "without a broker, or without permission, it is known why nothing comes, from the first attempt on",
        arguments: [SensorError.brokerMissing(paths: ["/x"]), .notPermitted(path: "/x"), .brokerStopped(path: "/x")])
    mutating func away(error: SensorError) {
        let listener = wait(isLasting: true)
        #expect(state == nil && bench.hub.failure(of: listener) == nil)
        bench.lose(bench.connections("Subscribe")[0], error)
        #expect(state == unavailable(error) && bench.hub.failure(of: listener) == error)
        #expect(bench.hub.audience.failures(of: .accelerometer) == [listener: error])
        // One who comes later knows it at once, and a reason that has changed is the new one.
        let late = wait(isLasting: true)
        #expect(bench.hub.failure(of: late) == error)
        bench.advance(300_000_000)
        bench.lose(bench.connections("Subscribe")[0], .disconnected)
        #expect(bench.hub.failure(of: listener) == .disconnected && state == unavailable(.disconnected))
        bench.advance(3_000_000_000)
        bench.begin(bench.connections("Subscribe")[0])
        #expect(state == .active && bench.hub.audience.failures(of: .accelerometer).isEmpty)
        #expect(bench.sent[late]?.prefix(1) == [.disconnected(error)])
        #expect(bench.sent[late]?.count { if case .disconnected = $0 { true } else { false } } == 1)
    }

    @Test("a resource that this user may not read is unavailable for that reason")
    mutating func denied() {
        let listener = wait(isLasting: true)
        bench.act { hub, now in
            let stream = hub.broker.connections.first { $0 == .stream } ?? ConnectionID(number: 0)
            hub.replied(stream, .failure(.permissionDenied), now: now)
        }
        let error = SensorError.notPermitted(path: "this resource")
        #expect(bench.hub.failure(of: listener) == error && state == unavailable(error))
    }

    @Test("a listener informed that the broker is away is informed, too, that it does not let this user in")
    mutating func closed() {
        let listener = wait(isLasting: true)
        bench.lose(bench.connections("Subscribe")[0], .disconnected)
        for _ in 0..<2 {
            bench.advance(3_000_000_000)
            bench.lose(bench.connections("Subscribe")[0], .notPermitted(path: "/x"))
        }
        #expect(bench.sent[listener] == [.disconnected(.disconnected), .disconnected(.notPermitted(path: "/x"))])
    }

    @Test("a manager that wants nothing knows what a complete list does not have")
    mutating func listed() {
        bench.act { hub, now in hub.attach(now: now) }
        list("location")
        #expect(state == unavailable(noAccelerometer) && bench.hub.state(of: .location) == .active)
        // The next broker may have it.
        bench.lose(bench.connections("ListResources")[0])
        #expect(state == unavailable(.disconnected))
    }

    @Test("the state of one that is only looked at is kept up to date while another one is streamed")
    mutating func besideAStream() {
        bench.act { hub, now in hub.attach(now: now) }
        _ = bench.listen(.every(20))
        bench.begin(bench.connections("Subscribe")[0])
        #expect(bench.connections("ListResources").isEmpty)
        bench.act { hub, now in hub.lookAt(.accelerometer, now: now) }
        #expect(bench.connections("ListResources").isEmpty)
        bench.act { hub, now in hub.lookAt(.location, now: now) }
        list("accelerometer", "location")
        #expect(bench.hub.state(of: .location) == .active)
        list("accelerometer")
        #expect(bench.hub.state(of: .location) == .unavailable(reason: "\(SensorError.noSuchResource(.location))"))
        bench.act { hub, now in hub.detach(now: now) }
        #expect(bench.connections("ListResources").isEmpty)
    }

    @Test("a resource that the next broker does not have is neither active nor known any more")
    mutating func gone() throws {
        let listener = wait(isLasting: true)
        let first = bench.connections("Subscribe")[0]
        bench.begin(first)
        bench.deliver(first, x: 1)
        bench.lose(first)
        bench.advance(300_000_000)
        refuse()
        #expect(bench.hub.failure(of: listener) == noAccelerometer && state == unavailable(.disconnected))
        list("location")
        #expect(state == unavailable(noAccelerometer) && bench.hub.broker.newest[.accelerometer] == nil)
        let isAnnounced = bench.announced.contains {
            if case .resource(let resource) = $0 { resource.state == unavailable(noAccelerometer) } else { false }
        }
        #expect(isAnnounced)
        // Its readings were interrupted, so there is a gap when it is back.
        bench.advance(60_000_000_000)
        list("location", "accelerometer")
        let next = try #require(bench.connections("Subscribe").first)
        bench.begin(next)
        bench.deliver(next, x: 2)
        #expect(bench.sent[listener]?.contains { if case .gap = $0 { true } else { false } } == true)
        #expect(state == .active && bench.hub.failure(of: listener) == nil)
    }

    @Test(
        "a stream that waits begins when there is its resource; one that does not wait ends", arguments: [true, false])
    mutating func later(isLasting: Bool) throws {
        let (waiting, other) = (wait(isLasting: isLasting), bench.listen(.every(20)))
        refuse()
        #expect(bench.ended == [other: noAccelerometer])
        #expect(bench.sent[waiting] == [.state(unavailable(noAccelerometer))])
        #expect(bench.hub.failure(of: waiting) == noAccelerometer)
        #expect(bench.open.count == 1)
        list("location")
        bench.advance(600_000_000_000)
        #expect(bench.connections("Subscribe").isEmpty && bench.sent[waiting]?.count == 1)
        // It is known not to be there.
        let late = bench.listen(.every(30))
        #expect(bench.ended[late] == noAccelerometer)
        list("location", "accelerometer")
        let stream = try #require(bench.connections("Subscribe").first)
        bench.begin(stream)
        bench.deliver(stream, x: 1)
        guard case .measured = bench.sent[waiting]?.last else {
            Issue.record("sent \(bench.sent[waiting] ?? [])")
            return
        }
        #expect(bench.connections("ListResources").isEmpty)
    }

    @Test("others are served meanwhile, and nothing is left when nobody waits any more")
    mutating func beside() {
        let good = bench.listen(SensorRequest(.location))
        let stream = bench.connections("Subscribe")[0]
        bench.begin(stream)
        let waiting = wait()
        refuse()
        #expect(bench.open[stream] != nil && bench.hub.failure(of: good) == nil)
        #expect(bench.connections("ListResources").count == 1)
        bench.leave(waiting)
        bench.advance(5_000_000_000)
        #expect(bench.open.keys.sorted() == [stream] && bench.hub.audience.channels.count == 1)
    }

    @Test("a broker that lists what it refuses is asked ever more rarely")
    mutating func contradiction() {
        _ = wait()
        var waits: [Int64] = []
        for _ in 0..<5 {
            refuse()
            list("accelerometer")
            let began = bench.now
            while bench.connections("Subscribe").isEmpty {
                let deadline = bench.act { hub, _ in hub.deadline }
                bench.advance((deadline ?? bench.now + 1) - bench.now)
            }
            waits.append(bench.now - began)
        }
        #expect(waits[4] > 4 * waits[0] && waits[0] > 0)
    }

    @Test("one who waits is informed when the broker goes away, and asks the next one")
    mutating func brokerLost() {
        let waiting = wait()
        refuse()
        list("location")
        bench.lose(bench.connections("ListResources")[0])
        #expect(bench.sent[waiting]?.last == .disconnected(.disconnected))
        bench.advance(300_000_000)
        #expect(bench.connections("Subscribe").count == 1)
        refuse()
        #expect(bench.sent[waiting]?.last == .state(unavailable(noAccelerometer)))
    }

    @Test("observers are notified of an error, and of its end")
    mutating func observers() {
        var observers = Observers()
        _ = observers.observed(.accelerometer, in: bench.hub)
        _ = wait(isLasting: true)
        bench.lose(bench.connections("Subscribe")[0], .brokerMissing(paths: ["/x"]))
        let changes = observers.changes(in: bench.hub, now: bench.now)
        #expect(
            changes.map(\.isError) == [true] && changes.map(\.isState) == [true] && changes.map(\.isReading) == [false])
        bench.advance(300_000_000)
        bench.begin(bench.connections("Subscribe")[0])
        #expect(observers.changes(in: bench.hub, now: bench.now).map(\.isError) == [true])
        #expect(observers.changes(in: bench.hub, now: bench.now).isEmpty)
    }
}
