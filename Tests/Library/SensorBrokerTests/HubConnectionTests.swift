import Testing
import Varlink

@testable import SensorBroker

/// What becomes of streams when connections break, and of what is known when devices go.
@Suite struct HubConnectionTests {
    private var bench = HubBench()

    @Test("a lost stream is renewed later, with a gap before the first reading")
    mutating func renewal() {
        let listener = bench.listen(.every(20))
        let first = bench.connections("Subscribe")[0]
        bench.begin(first)
        bench.deliver(first, x: 1)
        let covered = bench.now
        bench.lose(first)
        #expect(bench.sent[listener]?.last == .disconnected(.disconnected))
        #expect(bench.open.isEmpty)
        bench.advance(200_000_000 - 1)
        #expect(bench.open.isEmpty)
        bench.advance(100_000_001)
        let second = bench.connections("Subscribe")[0]
        bench.begin(second)
        bench.deliver(second, x: 2)
        let gap = Gap(resource: .accelerometer, cause: .disconnected, count: nil, from: covered, until: bench.now)
        #expect(bench.sent[listener]?.dropLast().last == .gap(gap))
        #expect(bench.announced.contains(.subscriptionRenewed(.every(20))))
        bench.deliver(second, x: 3)
        #expect(bench.sent[listener]?.filter { $0 == .gap(gap) }.count == 1)
    }

    @Test("a stream that is lost again before its first reading is reported again")
    mutating func lostAgain() {
        let listener = bench.listen(.every(20))
        for count in 1...2 {
            let connection = bench.connections("Subscribe")[0]
            bench.begin(connection)
            bench.lose(connection)
            #expect(bench.sent[listener]?.filter { $0 == .disconnected(.disconnected) }.count == count)
            bench.advance(3_000_000_000)
        }
    }

    @Test(
        "a renewed stream has no gap if no reading is missing, nor if there was none before", arguments: [true, false])
    mutating func noGap(isDelivered: Bool) {
        let listener = bench.listen(.every(1_000))
        let first = bench.connections("Subscribe")[0]
        bench.begin(first)
        if isDelivered { bench.deliver(first, x: 1) }
        bench.lose(first)
        bench.advance(isDelivered ? 1_400_000_000 : 100_000_000_000)
        let second = bench.connections("Subscribe")[0]
        bench.begin(second)
        bench.deliver(second, x: 2)
        #expect(bench.sent[listener]?.contains { if case .gap = $0 { true } else { false } } == false)
    }

    @Test(
        "the end of a stream is reported with its reason",
        arguments: [
            ("slowClient", SensorError.ended(reason: "slowClient")), ("shutdown", .ended(reason: "shutdown")),
            ("permissionDenied", .notPermitted(path: "this resource")),
        ])
    mutating func reason(word: String, error: SensorError) {
        let listener = bench.listen(.every(20))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        bench.reply(connection, ["ended": .string(word)])
        #expect(bench.sent[listener]?.last == .disconnected(error))
    }

    @Test("attempts become rarer, up to two seconds apart, with jitter")
    mutating func backoff() {
        _ = bench.listen(.every(20))
        var waits: [Duration] = []
        for _ in 0..<8 {
            bench.lose(bench.connections("Subscribe")[0], .brokerMissing(paths: ["/x"]))
            guard case .reconnecting(let wait, _) = bench.announced.last else {
                Issue.record("no try")
                return
            }
            waits.append(wait)
            bench.advance(wait.clampedNanoseconds)
        }
        #expect(waits[0] >= .milliseconds(200) && waits[0] <= .milliseconds(300))
        #expect(waits[7] >= .milliseconds(1600) && waits[7] <= .milliseconds(2400))
        #expect(Set(waits).count == 8)
        #expect(bench.announced.filter { $0 == .disconnected(.brokerMissing(paths: ["/x"])) }.count == 1)
    }

    @Test("after a refusal or an invalid reply the waits grow too", arguments: [true, false])
    mutating func refusal(isNonsense: Bool) {
        let listener = bench.listen(.every(20))
        var waits: [Int64] = []
        for _ in 0..<4 {
            let connection = bench.connections("Subscribe")[0]
            if isNonsense {
                bench.reply(connection, ["readings": 5], continues: true)
            } else {
                bench.refuse(connection, "TooManySubscriptions", ["limit": 1])
            }
            let wait = (bench.hub.deadline ?? bench.now) - bench.now
            waits.append(wait)
            bench.advance(wait)
        }
        #expect(waits[3] > 4 * waits[0])
        #expect(bench.sent[listener]?.count == 1 && !bench.announced.contains(.connected))
    }

    @Test("a refused request is not repeated whenever the stream gets a reply, and hurts no other")
    mutating func apart() {
        let good = bench.listen(.every(20))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        let bad = bench.listen(.every(50))
        bench.refuse(bench.connections("Modify")[0], "TooManyRequests", ["limit": 1])
        for number in 0..<10 { bench.deliver(connection, x: Double(number)) }
        #expect(bench.connections("Modify").isEmpty && bench.open[connection] != nil)
        #expect(bench.sent[good]?.contains(.disconnected(.tooManyRequests)) == false)
        #expect(bench.sent[bad]?.last == .disconnected(.tooManyRequests))
        bench.advance(400_000_000)
        #expect(bench.connections("Modify").count == 1)
        bench.carryOut(of: connection)
        #expect(bench.announced.contains(.subscriptionRenewed(.every(50))))
        // A lost change takes the connection that it was for with it.
        bench.act { hub, now in hub.change([good], to: .every(21), now: now) }
        bench.refuse(bench.connections("Modify")[0], "TooManySubscriptions", ["limit": 1])
        #expect(bench.open[connection] == nil)
    }

    @Test("of many requests, the one that the broker refuses is found, and the others are carried out")
    mutating func culprit() throws {
        let barometer = try #require(ResourceName("pressure"))
        let good = (1...20).map { bench.listen(.every($0)) }
        let bad = bench.listen(SensorRequest(barometer))
        let first = bench.connections("Subscribe")[0]
        bench.begin(first)
        for _ in 0..<50 {
            guard let change = bench.connections("Modify").first else { break }
            let asked = try #require(bench.open[change]).parameters.objects("requests")
            if try asked.contains(where: { try $0.string("resource") == "pressure" }) {
                let error = VarlinkError.permissionDenied
                bench.act { hub, now in hub.replied(change, .failure(error), now: now) }
            } else {
                bench.carryOut(of: first)
            }
        }
        #expect(bench.open[first] != nil && bench.hub.stream.carried.count == 20)
        for listener in good {
            #expect(bench.sent[listener]?.contains { if case .grant = $0 { true } else { false } } == true)
        }
        guard case .disconnected(.notPermitted) = bench.sent[bad]?.last else {
            Issue.record("sent \(bench.sent[bad] ?? [])")
            return
        }
        // It is tried again later, on its own.
        bench.advance(400_000_000)
        let again = try #require(bench.connections("Modify").first)
        #expect(try #require(bench.open[again]).parameters.objects("requests").count == 1)
    }

    @Test("a refused list is requested ever more rarely, and does not affect streams")
    mutating func refusedList() {
        bench.act { hub, now in hub.attach(now: now) }
        var waits: [Int64] = []
        for _ in 0..<4 {
            bench.refuse(bench.connections("ListResources")[0], "Later")
            let wait = (bench.hub.deadline ?? bench.now) - bench.now
            waits.append(wait)
            bench.advance(wait)
        }
        #expect(waits[3] > 4 * waits[0])
        _ = bench.listen(.every(20))
        #expect(bench.connections("Subscribe").count == 1)
    }

    @Test("a new listener is informed that the broker is away")
    mutating func late() {
        _ = bench.listen(.every(20))
        bench.lose(bench.connections("Subscribe")[0], .brokerMissing(paths: ["/x"]))
        let listener = bench.listen(.every(30))
        #expect(bench.sent[listener] == [.disconnected(.brokerMissing(paths: ["/x"]))])
        #expect(bench.open.isEmpty)
    }

    @Test("a stop of the daemon and a lost permission are reported as such")
    mutating func announcements() {
        _ = bench.listen(.every(20))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        #expect(bench.announced.first == .connected)
        bench.reply(connection, ["ended": "shutdown"])
        #expect(bench.announced.contains(.brokerShutDown))
        bench.advance(1_000_000_000)
        bench.begin(bench.connections("Subscribe")[0])
        bench.lose(bench.connections("Subscribe")[0], .notPermitted(path: "/x"))
        #expect(bench.announced.contains(.permissionLost(.notPermitted(path: "/x"))))
    }

    @Test("an unknown resource ends only its own listeners")
    mutating func noSuchResource() throws {
        let barometer = try #require(ResourceName("barometer"))
        let (good, bad) = (bench.listen(.every(20)), bench.listen(SensorRequest(barometer)))
        let first = bench.connections("Subscribe")[0]
        bench.begin(first)
        let modify = bench.connections("Modify")[0]
        bench.refuse(modify, "NoSuchResource", ["resource": "barometer"])
        #expect(bench.ended == [bad: .noSuchResource(barometer)])
        #expect(bench.hub.audience.listeners.channel(of: good) != nil && bench.open[first] != nil)
        #expect(bench.connections("Modify").isEmpty)
    }

    @Test("a subscription that the broker has forgotten is renewed")
    mutating func forgotten() {
        let listener = bench.listen(.every(20))
        bench.begin(bench.connections("Subscribe")[0])
        bench.act { hub, now in hub.change([listener], to: .every(30), now: now) }
        bench.refuse(bench.connections("Modify")[0], "NoSuchSubscription", ["subscription": "s"])
        bench.advance(1_000_000_000)
        #expect(bench.connections("Subscribe").count == 1 && bench.ended.isEmpty)
    }

    @Test("a stream without a sign of life is lost, but not because the host slept")
    mutating func silence() {
        _ = bench.listen(.every(20))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        bench.advance(89_000_000_000)
        bench.reply(connection, [:], continues: true)
        bench.advance(89_000_000_000)
        #expect(bench.open[connection] != nil)
        bench.advance(3_600_000_000_000)
        bench.reply(connection, [:], continues: true)
        bench.advance(6_000_000_000)
        #expect(bench.open[connection] != nil)
        bench.advance(90_000_000_000)
        #expect(bench.hub.deadline == bench.now + 5_000_000_000)
        bench.advance(5_000_000_000)
        #expect(bench.open[connection] == nil)
    }

    @Test("a change that is not answered renews the stream")
    mutating func unanswered() {
        let listener = bench.listen(.every(20))
        let first = bench.connections("Subscribe")
        bench.begin(first[0])
        bench.act { hub, now in hub.change([listener], to: .every(30), now: now) }
        bench.advance(15_000_000_000)
        #expect(bench.open.isEmpty)
        bench.advance(1_000_000_000)
        #expect(bench.connections("Subscribe").count == 1 && bench.connections("Subscribe") != first)
    }

    @Test("a list that does not arrive is an error")
    mutating func list() {
        let (patient, impatient) = (bench.list(), bench.list())
        bench.act { hub, _ in hub.cancelList(impatient) }
        #expect(bench.lists[impatient] == .failure(.cancelled))
        bench.advance(15_000_000_000)
        #expect(bench.lists[patient] == .failure(.unanswered(seconds: 15)))
        #expect(bench.open.isEmpty)
    }

    @Test(
        "the newest reading becomes invalid with the device, with and without listeners",
        arguments: [
            HubBench.resource("accelerometer", state: "unavailable"),
            HubBench.resource("accelerometer", state: "released"),
            HubBench.resource("accelerometer", device: "another chip"),
            HubBench.resource("accelerometer", simulated: true),
        ])
    mutating func invalidation(resource: JSONValue) {
        let listener = bench.listen(.every(20))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        bench.deliver(connection, x: 1)
        #expect(bench.hub.broker.newest[.accelerometer] != nil)
        bench.leave(listener)
        bench.advance(6_000_000_000)
        #expect(bench.hub.broker.newest[.accelerometer] != nil)
        // Nobody streams it any more; the list of resources shows it.
        let watch = bench.connections("ListResources")
        #expect(watch.count == 1 && bench.open.count == 1)
        bench.reply(watch[0], ["resources": [HubBench.resource("accelerometer", state: "idle")]], continues: true)
        #expect(bench.hub.broker.newest[.accelerometer] != nil)
        bench.reply(watch[0], ["resources": [resource]], continues: true)
        #expect(bench.hub.broker.newest[.accelerometer] == nil)
    }

    @Test("a gap for a lost device invalidates earlier readings, not later ones")
    mutating func lossInStream() {
        _ = bench.listen(.every(20))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        bench.deliver(connection, x: 1)
        let (from, until) = (bench.now.nanoseconds, bench.now.nanoseconds + 5)
        let gap: JSONValue = [
            "resource": "accelerometer", "cause": "deviceLost", "fromNanoseconds": .integer(from),
            "untilNanoseconds": .integer(until),
        ]
        bench.reply(connection, ["gaps": [gap]], continues: true)
        #expect(bench.hub.broker.newest[.accelerometer] == nil)
        bench.advance(10)
        bench.deliver(connection, x: 2)
        bench.reply(connection, ["gaps": [gap]], continues: true)
        #expect(bench.hub.broker.newest[.accelerometer] != nil)
    }

    @Test("a new listener gets no report of what was missing before it came")
    mutating func newListenerAfterAbsence() {
        let former = bench.listen(.every(20))
        bench.begin(bench.connections("Subscribe")[0])
        bench.deliver(bench.connections("Subscribe")[0], x: 1)
        bench.leave(former)
        bench.lose(bench.connections("Subscribe")[0])
        let listener = bench.listen(.every(20))
        bench.advance(1_000_000_000)
        bench.begin(bench.connections("Subscribe")[0])
        bench.deliver(bench.connections("Subscribe")[0], x: 2)
        #expect(bench.sent[listener]?.contains { if case .gap = $0 { true } else { false } } == false)
        #expect(bench.sent[listener]?.contains { if case .measured = $0 { true } else { false } } == true)
        // What is missing from then on is reported.
        bench.lose(bench.connections("Subscribe")[0])
        bench.advance(1_000_000_000)
        bench.begin(bench.connections("Subscribe")[0])
        bench.deliver(bench.connections("Subscribe")[0], x: 3)
        #expect(bench.sent[listener]?.contains { if case .gap = $0 { true } else { false } } == true)
    }

    @Test("resources that nobody asked for are not kept, however many a stream reports")
    mutating func unasked() {
        var request = SensorRequest.every(20)
        request.companions = [ResourceName("location")!]
        _ = bench.listen(request)
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        let others = (1...5).map { HubBench.resource("accelerometer:\($0)") }
        let resources = JSONValue.array(others + [HubBench.resource("location", state: "stale")])
        bench.reply(connection, ["resources": resources], continues: true)
        #expect(Set(bench.hub.broker.resources.all.map(\.name.description)) == ["accelerometer", "location"])
        #expect(bench.hub.broker.resources[ResourceName("location")!]?.state.name == "stale")
    }

    @Test("who joins others gets no report of what was missing before it came", arguments: [true, false])
    mutating func joiningInAbsence(isAway: Bool) {
        let former = bench.listen(.every(20))
        bench.begin(bench.connections("Subscribe")[0])
        bench.deliver(bench.connections("Subscribe")[0], x: 1)
        bench.lose(bench.connections("Subscribe")[0])
        bench.advance(1_000_000_000)
        if !isAway { bench.begin(bench.connections("Subscribe")[0]) }
        let listener = bench.listen(.every(20))
        bench.advance(1_000_000_000)
        if isAway { bench.begin(bench.connections("Subscribe")[0]) }
        bench.deliver(bench.connections("Subscribe")[0], x: 2)
        func gaps(_ id: ListenerID) -> Int {
            (bench.sent[id] ?? []).filter { if case .gap = $0 { true } else { false } }.count
        }
        #expect(gaps(former) == 1 && gaps(listener) == 0)
        bench.lose(bench.connections("Subscribe")[0])
        bench.advance(1_000_000_000)
        bench.begin(bench.connections("Subscribe")[0])
        bench.deliver(bench.connections("Subscribe")[0], x: 3)
        #expect(gaps(former) == 2 && gaps(listener) == 1)
    }

    @Test("a peer that is not a broker is disconnected, and tried again later")
    mutating func stranger() {
        let listener = bench.listen(.every(20))
        bench.reply(bench.connections("Subscribe")[0], ["readings": 5], continues: true)
        #expect(bench.open.isEmpty)
        guard case .disconnected(.unintelligible) = bench.sent[listener]?.last else {
            Issue.record("not sent")
            return
        }
        bench.advance(1_000_000_000)
        #expect(bench.connections("Subscribe").count == 1)
    }
}
