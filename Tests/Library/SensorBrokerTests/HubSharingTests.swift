import Testing
import Varlink

@testable import SensorBroker

/// Who shares what: channels, streams, grace.
@Suite struct HubSharingTests {
    private var bench = HubBench()

    @Test("equal requests share a subscription; requests for different resources share a connection")
    mutating func sharing() {
        for _ in 0..<500 {
            _ = bench.listen(.every(20))
            _ = bench.listen(SensorRequest(.location))
        }
        #expect(bench.hub.audience.channels.count == 2)
        #expect(bench.open.count == 1)
        bench.begin(bench.connections("Subscribe")[0])
        #expect(bench.open.values.map(\.method).sorted() == ["Modify", "Subscribe"])
    }

    @Test("further requests for the same resource share the connection, each with a label; the first has none")
    mutating func distinct() {
        let slow = bench.listen(.every(20))
        let connection = bench.connections("Subscribe")[0]
        #expect(bench.labels(connection) == [nil])
        bench.begin(connection)
        let listeners = [slow, bench.listen(.every(50)), bench.listen(.every(50)), bench.listen(.every(60))]
        bench.carryOut(of: connection)
        bench.carryOut(of: connection)
        #expect(bench.open.count == 1 && bench.hub.audience.channels.count == 3)
        let labels = bench.hub.audience.channels.tags.compactMap(\.label)
        #expect(Set(labels).count == 2)
        // Each gets what is for it.
        for (number, label) in labels.enumerated() {
            bench.deliver(connection, x: Double(number), label: label)
            let receivers = listeners.filter { last($0) == Double(number) }
            #expect(
                receivers.count
                    == (bench.hub.audience.listeners.channel(of: listeners[1]).map { "\($0)" } == label ? 2 : 1)
            )
        }
        #expect(last(slow) == nil)
        let gap: JSONObject = [
            "resource": "accelerometer", "label": .string(labels[0]), "cause": "deviceOverflow", "count": 1,
            "fromNanoseconds": 1, "untilNanoseconds": 2,
        ]
        bench.reply(connection, ["gaps": [.object(gap)]], continues: true)
        let receivers = listeners.filter { if case .gap = bench.sent[$0]?.last { true } else { false } }
        #expect(
            receivers.allSatisfy { bench.hub.audience.listeners.channel(of: $0).map { "\($0)" } == labels[0] }
                && !receivers.isEmpty)
    }

    @Test("a batch reaches a listener at once, and its stream has room for it, however long it is")
    mutating func batch() async throws {
        let listener = bench.listen(.every(1))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        let column = JSONValue.array((0..<1_000).map { .number(Double($0)) })
        let reading: JSONObject = [
            "resource": "accelerometer", "sequence": 1, "timestampNanoseconds": 1,
            "values": ["columns": ["x": column, "y": column, "z": column], "periodNanoseconds": 1_000_000],
        ]
        bench.reply(connection, ["readings": [.object(reading)]], continues: true)
        let message = try #require(bench.sent[listener]?.last)
        guard case .measured(let measured) = message else { throw SensorError.timedOut }
        #expect(measured.compactMap { $0.measurement.number(ofChannel: 0) } == (0..<1_000).map { Double($0) })

        let mailbox = Mailbox(EventBuffer<Acceleration>(capacity: SensorEvents<Acceleration>.capacity))
        MailboxSink(mailbox) { _ in true }.take(message)
        let events = mailbox.takeAll()
        let values = events.compactMap { if case .reading(let reading) = $0 { reading.value.x } else { nil } }
        #expect(values == (0..<1_000).map { Double($0) } && events.count == 1_000)

        var batches = SensorBatches(SensorEvents([.state(.active)] + events)).makeAsyncIterator()
        #expect(try await batches.next()?.count == 1_000)
        #expect(try await batches.next() == nil)
    }

    @Test(
        "where each sample is asked for, each reading of a batch has its number; else, and across a gap, only the first"
    )
    mutating func sequences() throws {
        let gap: JSONObject = [
            "resource": "accelerometer", "cause": "deviceOverflow", "count": 1, "fromNanoseconds": 1,
            "untilNanoseconds": 2,
        ]
        let reading: JSONObject = [
            "resource": "accelerometer", "sequence": 7, "timestampNanoseconds": 1,
            "values": [
                "columns": ["x": [1.0, 2.0, 3.0], "y": [0.0, 0.0, 0.0], "z": [0.0, 0.0, 0.0]],
                "periodNanoseconds": 1_000_000,
            ],
        ]
        for (milliseconds, gaps, expected) in [
            (0, [JSONValue](), [7, 8, 9]), (0, [.object(gap)], [7, nil, nil]), (5, [], [7, nil, nil]),
        ] as [(Int, [JSONValue], [Int64?])] {
            var bench = HubBench()
            let listener = bench.listen(.every(milliseconds))
            let connection = bench.connections("Subscribe")[0]
            bench.begin(connection)
            bench.reply(connection, ["gaps": .array(gaps), "readings": [.object(reading)]], continues: true)
            guard case .measured(let measured) = bench.sent[listener]?.last else { throw SensorError.timedOut }
            #expect(measured.map(\.sequence) == expected)
        }
    }

    @Test("a batch has the gaps among its readings, also if there is no reading")
    func batchesWithGaps() async throws {
        func gap(_ count: Int) -> Gap {
            Gap(
                resource: .accelerometer, cause: .deviceOverflow, count: count, from: BootTime(nanoseconds: 1),
                until: BootTime(nanoseconds: 2))
        }
        let reading = Reading(
            Acceleration(x: 0, y: 0, z: 1), of: .accelerometer, at: BootTime(nanoseconds: 3), sequence: 1)
        let events: [SensorEvent<Acceleration>] = [.gap(gap(1)), .state(.active), .reading(reading), .gap(gap(2))]
        var batches = SensorBatches(SensorEvents(events)).makeAsyncIterator()
        let batch = try #require(try await batches.next())
        #expect(Array(batch) == [reading] && batch.gaps == [gap(1), gap(2)])
        var lost = SensorBatches(SensorEvents<Acceleration>([.state(.active), .gap(gap(3))])).makeAsyncIterator()
        #expect(try await lost.next() == SensorBatch([], gaps: [gap(3)]))
        #expect(try await lost.next() == nil)
    }

    /// The last value that a listener got, if that was the last it was sent.
    private func last(_ listener: ListenerID) -> Double? {
        guard case .measured(let measured) = bench.sent[listener]?.last else { return nil }
        return measured.last?.measurement.number(ofChannel: 0)
    }

    @Test("a thousand requests for one resource are one connection, and come in calls that the broker accepts")
    mutating func thousand() throws {
        let listeners = (1...1_000).map { bench.listen(.every($0)) }
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        for _ in 0..<1_000 where !bench.connections("Modify").isEmpty {
            let change = try #require(bench.open[bench.connections("Modify")[0]])
            #expect(try change.parameters.objects("requests").count <= 28)
            bench.carryOut(of: connection)
        }
        #expect(
            bench.open.count == 1 && bench.hub.stream.carried.count == 1_000
                && bench.hub.audience.channels.unsettled.isEmpty)
        #expect(Set(bench.hub.stream.carried.values).count == 1_000)
        // All but one leave, in one change.
        for listener in listeners.dropFirst() { bench.leave(listener) }
        bench.advance(5_000_000_000)
        let last = try #require(bench.connections("Modify").first)
        let change = try #require(bench.open[last])
        #expect(try change.parameters.strings("remove").count == 999)
        bench.carryOut(of: connection)
        #expect(bench.hub.stream.carried.count == 1 && bench.open.count == 1)
    }

    @Test("a listener that joins a running stream gets the grant, the state and the newest reading at once")
    mutating func newcomer() {
        _ = bench.listen(.every(20))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        bench.deliver(connection, x: 1)
        let newcomer = bench.listen(.every(20))
        guard let messages = bench.sent[newcomer], messages.count == 3, case .grant = messages[0],
            messages[1] == .state(.active),
            case .measured = messages[2]
        else {
            Issue.record("sent \(bench.sent[newcomer] ?? [])")
            return
        }
        bench.advance(21_000_000)
        let late = bench.listen(.every(20))
        #expect(bench.sent[late]?.count == 2)
    }

    @Test("a stream begins with the state of its resource, even if that is known already")
    mutating func knownState() {
        bench.act { hub, now in hub.attach(now: now) }
        let resources: JSONValue = [
            HubBench.resource("accelerometer", state: "unavailable"), HubBench.resource("location"),
        ]
        bench.reply(bench.connections("ListResources")[0], ["resources": resources], continues: true)
        let listener = bench.listen(.every(20))
        bench.begin(bench.connections("Subscribe")[0], state: "unavailable")
        #expect(bench.sent[listener]?.filter { $0 == .state(.unavailable(reason: "")) }.count == 1)
        // What joins the stream later has its grant announced, and no state beside it.
        let joined = bench.listen(SensorRequest(.location))
        bench.reply(bench.connections("Modify")[0], ["revision": 2, "grants": []])
        let grant: JSONValue = ["resource": "location", "intervalNanoseconds": 1_000_000_000, "batchNanoseconds": 0]
        bench.reply(bench.connections("Subscribe")[0], ["revision": 2, "grants": [grant]], continues: true)
        #expect(bench.sent[joined]?.last == .state(.active))
    }

    @Test("a subscription without listeners is reused within its grace, and ends after it")
    mutating func grace() {
        let first = bench.listen(.every(20))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        bench.leave(first)
        bench.advance(4_999_999_999)
        #expect(bench.open[connection] != nil)
        let second = bench.listen(.every(20))
        #expect(bench.calls.count == 1)
        bench.advance(10_000_000_000)
        #expect(bench.open[connection] != nil)
        bench.leave(second)
        bench.advance(5_000_000_000)
        #expect(bench.open[connection] == nil && bench.hub.audience.channels.isEmpty)
    }

    @Test("memory pressure ends unused subscriptions, used ones never")
    mutating func memory() {
        let used = bench.listen(.every(20))
        bench.leave(bench.listen(SensorRequest(.location)))
        bench.act { hub, now in hub.memoryIsShort(now: now) }
        #expect(bench.hub.audience.channels.count == 1 && bench.ended[used] == nil)
        #expect(bench.announced.last == .memoryPressure(released: 1))
    }

    @Test("one, all of a resource, or all subscriptions can be released; used ones only on request")
    mutating func release() {
        let used = bench.listen(.every(20))
        for request in [SensorRequest.every(30), .every(40), SensorRequest(.location)] {
            bench.leave(bench.listen(request))
        }
        func release(_ scope: ReleaseScope, evenInUse: Bool = false) -> Int {
            bench.act { hub, now in hub.release(scope, evenInUse: evenInUse, now: now) }
        }
        #expect(release(.one(.every(30))) == 1)
        #expect(release(.one(.every(20))) == 0)
        #expect(release(.resource(.accelerometer)) == 1)
        #expect(release(.all) == 1)
        #expect(release(.all, evenInUse: true) == 1)
        #expect(bench.ended[used] == .cancelled && bench.hub.audience.channels.isEmpty)
    }

    @Test("a channel of one manager is changed in place; a shared one is left to the others")
    mutating func change() {
        let (first, second) = (bench.listen(.every(20)), bench.listen(.every(20)))
        bench.begin(bench.connections("Subscribe")[0])
        bench.act { hub, now in hub.change([first], to: .every(50), now: now) }
        #expect(bench.labels(bench.connections("Modify")[0]).compactMap { $0 }.count == 1)
        bench.carryOut(of: bench.connections("Subscribe")[0])
        bench.act { hub, now in hub.change([second], to: .every(30), now: now) }
        let modify = bench.connections("Modify")
        #expect(modify.count == 1)
        #expect((try? bench.open[modify[0]]?.parameters.objects("requests").count) == 1)
        // While a change is under way, the next one waits, and only the newest goes out.
        bench.act { hub, now in hub.change([second], to: .every(31), now: now) }
        bench.act { hub, now in hub.change([second], to: .every(32), now: now) }
        #expect(bench.connections("Modify").count == 1)
        bench.reply(modify[0], ["revision": 2, "grants": []])
        let next = bench.connections("Modify")
        #expect(next.count == 1 && next != modify)
        let interval = try? bench.open[next[0]]?.parameters.objects("requests")[0].integer("intervalNanoseconds")
        #expect(interval == 32_000_000)
    }

    @Test(
        "one that gets a channel of its own gets a report of an absence since its last reading on the former one",
        arguments: [true, false])
    mutating func moveAndAbsence(isAway: Bool) {
        let (mover, other) = (bench.listen(.every(20)), bench.listen(.every(20)))
        bench.begin(bench.connections("Subscribe")[0])
        bench.deliver(bench.connections("Subscribe")[0], x: 1)
        let covered = bench.now
        if isAway { bench.lose(bench.connections("Subscribe")[0]) }
        bench.act { hub, now in hub.change([mover], to: .every(50), now: now) }
        if !isAway { bench.lose(bench.connections("Subscribe")[0]) }
        bench.advance(1_000_000_000)
        let connection = bench.connections("Subscribe")[0]
        let labels = bench.labels(connection)
        bench.begin(connection)
        for label in labels { bench.deliver(connection, x: 2, label: label) }
        for listener in [mover, other] {
            #expect(bench.gaps(listener).map(\.from) == [covered], "\(listener == mover ? "mover" : "other")")
        }
    }

    @Test("a manager with an equal request joins the others")
    mutating func join() {
        let (first, second) = (bench.listen(.every(20)), bench.listen(.every(50)))
        bench.act { hub, now in hub.change([second], to: .every(20), now: now) }
        #expect(bench.hub.audience.listeners.channel(of: first) == bench.hub.audience.listeners.channel(of: second))
    }

    @Test(
        "one that goes to another channel, its own or that of others, gets no reading twice", arguments: [true, false])
    mutating func moveBetweenReadings(isToOthers: Bool) throws {
        let (mover, other) = (bench.listen(.every(20)), bench.listen(.every(isToOthers ? 50 : 20)))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        bench.carryOut(of: connection)
        bench.deliver(connection, x: 1)
        let first = bench.now
        bench.act { hub, now in hub.change([mover], to: .every(50), now: now) }
        bench.carryOut(of: connection)
        let channel = try #require(bench.hub.audience.listeners.channel(of: mover))
        let label = bench.hub.audience.channels[channel]?.tag.label
        // What the other channel has of the same sample, or the broker sends whoever begins.
        reply(at: first, label: label, connection)
        bench.advance(50_000_000)
        let second = bench.now
        reply(at: second, label: label, connection)
        #expect(bench.times(mover) == [first, second])
        #expect(bench.times(other) == (isToOthers ? [first, second] : [first]))
        #expect(bench.gaps(mover).isEmpty)
    }

    @Test("a listener that joins a running stream with the newest reading gets that once, whoever had it first")
    mutating func newestOfOthers() {
        _ = bench.listen(.every(20))
        _ = bench.listen(.every(50))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        let label = bench.labels(bench.connections("Modify")[0])[0]
        bench.carryOut(of: connection)
        bench.deliver(connection, x: 1)
        let newcomer = bench.listen(.every(50))
        bench.deliver(connection, x: 1, label: label)
        #expect(bench.times(newcomer) == [bench.now])
    }

    @Test(
        "one that leaves a channel with a batch is told of what was gathered and does not come",
        arguments: [true, false])
    mutating func moveOutOfBatch(isAlone: Bool) {
        var gathered = SensorRequest.every(20)
        gathered.batch = .seconds(2)
        let mover = bench.listen(gathered)
        if !isAlone { _ = bench.listen(gathered) }
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        bench.deliver(connection, x: 1)
        let covered = bench.now
        let other = bench.listen(.every(30))
        bench.carryOut(of: connection)
        bench.advance(1_500_000_000)
        bench.act { hub, now in hub.change([mover], to: .every(30), now: now) }
        let channel = bench.hub.audience.listeners.channel(of: other).flatMap { bench.hub.audience.channels[$0] }
        bench.deliver(connection, x: 2, label: channel?.tag.label)
        let expected = Gap(resource: .accelerometer, cause: .reconfigured, count: nil, from: covered, until: bench.now)
        #expect(bench.gaps(mover) == [expected])
        #expect(bench.times(mover) == [covered, bench.now] && bench.gaps(other).isEmpty)
    }

    @Test("an absence of the broker is told once to whoever changes its request meanwhile", arguments: [true, false])
    mutating func moveInAbsence(isToOthers: Bool) {
        let (mover, other) = (bench.listen(.every(20)), bench.listen(.every(isToOthers ? 50 : 20)))
        let connection = bench.connections("Subscribe")[0]
        bench.begin(connection)
        bench.carryOut(of: connection)
        bench.lose(connection)
        for interval in [50, 70, 20] {
            bench.act { hub, now in hub.change([mover], to: .every(interval), now: now) }
            bench.advance(3_000_000_000)
            bench.lose(bench.connections("Subscribe")[0])
        }
        for listener in [mover, other] {
            let told = (bench.sent[listener] ?? []).filter { if case .disconnected = $0 { true } else { false } }
            #expect(told.count == 1, "\(listener == mover ? "mover" : "other")")
        }
    }

    private mutating func reply(at instant: BootTime, label: String?, _ connection: ConnectionID) {
        let reading = HubBench.acceleration("accelerometer", instant.nanoseconds, 1, label: label)
        bench.reply(connection, ["readings": [reading]], continues: true)
    }
}
