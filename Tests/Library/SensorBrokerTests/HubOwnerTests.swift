import Testing
import Varlink

@testable import SensorBroker

/// A subscription lives as long as somebody owns it, whatever has happened to it.
@Suite struct HubOwnerTests {
    private var bench = HubBench()

    /// A listener that waits when its request fails, as `startUpdates` does.
    private mutating func last(_ request: SensorRequest) -> ListenerID {
        bench.act { hub, now in
            let id: ListenerID = hub.makeID()
            hub.listen(id, to: request, isLasting: true, now: now)
            return id
        }
    }

    private mutating func change(_ listener: ListenerID, to request: SensorRequest) {
        bench.act { hub, now in hub.change([listener], to: request, now: now) }
    }

    private mutating func releaseAll() {
        _ = bench.act { hub, now in hub.release(.all, evenInUse: true, now: now) }
    }

    @Test("a listener that has ended cannot be brought back by a change of its request", arguments: [-1, 20])
    mutating func orphans(milliseconds: Int) {
        let listener = bench.listen(.every(milliseconds))
        if milliseconds > 0 { releaseAll() }
        #expect(bench.ended.keys.contains(listener))
        change(listener, to: .every(10))
        #expect(bench.hub.audience.channels.isEmpty && bench.open.isEmpty)
    }

    @Test("a lasting listener waits for a valid request")
    mutating func invalid() {
        let listener = last(.every(-1))
        #expect(bench.hub.audience.channels.isEmpty && bench.hub.audience.listeners.stopped(listener) != nil)
        change(listener, to: .every(10))
        #expect(bench.connections("Subscribe").count == 1 && !bench.hub.audience.listeners.haveStopped)
        bench.leave(listener)
        bench.advance(5_000_000_000)
        #expect(bench.open.isEmpty && bench.hub.audience.listeners.isEmpty)
    }

    @Test("after a release a lasting listener waits until it is asked for, then with its newest request")
    mutating func released() throws {
        let listener = last(.every(20))
        releaseAll()
        change(listener, to: .every(10))
        bench.advance(60_000_000_000)
        #expect(bench.open.isEmpty && bench.hub.audience.listeners.stopped(listener)?.error == .cancelled)
        bench.act { hub, now in hub.renew(listener, isAsked: false, now: now) }
        let call = try #require(bench.open[bench.connections("Subscribe")[0]])
        #expect(try call.parameters.objects("requests")[0].integer("intervalNanoseconds") == 10_000_000)
    }

    @Test("a request that was refused is made again when asked for, else once a second at most")
    mutating func refusedAgain() {
        let listener = last(.every(20))
        let reason = SensorError(VarlinkError.invalidParameter("requests"))
        func refuse(_ bench: inout HubBench) {
            bench.act { hub, now in
                let stream = hub.broker.connections.first { $0 == .stream } ?? ConnectionID(number: 0)
                hub.replied(stream, .failure(.invalidParameter("requests")), now: now)
            }
        }
        func renew(_ bench: inout HubBench, isAsked: Bool) {
            bench.act { hub, now in hub.renew(listener, isAsked: isAsked, now: now) }
        }
        refuse(&bench)
        #expect(bench.hub.audience.listeners.stopped(listener)?.error == reason && bench.ended.isEmpty)
        bench.advance(999_999_999)
        renew(&bench, isAsked: false)
        #expect(bench.open.isEmpty)
        bench.advance(1)
        renew(&bench, isAsked: false)
        refuse(&bench)
        #expect(bench.open.isEmpty)
        renew(&bench, isAsked: true)
        #expect(bench.connections("Subscribe").count == 1)
        bench.leave(listener)
        bench.advance(5_000_000_000)
        #expect(bench.open.isEmpty && !bench.hub.audience.listeners.haveStopped)
    }

    @Test("an invalid request does not replace the one that a listener has")
    mutating func refusedHere() {
        let listener = bench.listen(.every(20))
        bench.begin(bench.connections("Subscribe")[0])
        change(listener, to: .every(-1))
        guard case .refused(.invalidRequest) = bench.sent[listener]?.last else {
            Issue.record("sent \(bench.sent[listener] ?? [])")
            return
        }
        #expect(bench.ended.isEmpty && bench.connections("Modify").isEmpty)
        change(listener, to: .every(30))
        #expect(bench.connections("Modify").count == 1)
    }

    @Test("a request that the broker refuses does not replace the one that a listener has")
    mutating func refusedThere() {
        let listener = bench.listen(.every(20))
        let stream = bench.connections("Subscribe")[0]
        bench.begin(stream)
        change(listener, to: .every(30))
        bench.act { hub, now in
            let modify =
                hub.broker.connections.first { if case .change = $0 { true } else { false } }
                ?? ConnectionID(number: 0)
            hub.replied(modify, .failure(.invalidParameter("requests")), now: now)
        }
        guard case .refused(.invalidRequest) = bench.sent[listener]?.last else {
            Issue.record("sent \(bench.sent[listener] ?? [])")
            return
        }
        #expect(bench.open.keys.sorted() == [stream] && bench.ended.isEmpty)
        #expect(bench.hub.audience.channels.all.map(\.value.request) == [.every(20)])
        change(listener, to: .every(40))
        #expect(bench.connections("Modify").count == 1)
    }

    @Test("whatever listeners do, a channel has listeners or an end", arguments: 1...20)
    mutating func storm(seed: UInt64) {
        var state = seed
        func pick(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let requests = [SensorRequest.every(-1), .every(10), .every(20), SensorRequest(.location)]
        var listeners: [ListenerID] = []
        for _ in 0..<300 {
            let (request, victim) = (
                requests[pick(4)], listeners.isEmpty ? ID(number: 0) : listeners[pick(listeners.count)]
            )
            switch pick(8) {
            case 0, 1: listeners.append(pick(2) == 0 ? last(request) : bench.listen(request))
            case 2: change(victim, to: request)
            case 3: bench.leave(victim)
            case 4: bench.act { hub, now in hub.renew(victim, isAsked: true, now: now) }
            case 5: _ = bench.act { hub, now in hub.release(.one(request), evenInUse: true, now: now) }
            case 6: for stream in bench.connections("Subscribe") { bench.begin(stream) }
            default: bench.advance(Int64(pick(3_000)) * 1_000_000)
            }
            for (_, channel) in bench.hub.audience.channels.all {
                #expect(channel.listeners.isEmpty == (channel.warmUntil != nil))
            }
        }
        for listener in listeners { bench.leave(listener) }
        bench.advance(5_000_000_000)
        #expect(bench.hub.audience.channels.isEmpty && bench.hub.audience.listeners.isEmpty)
    }
}
