import BrokerClient
import SensorBrokerSimulation
import Testing
import Varlink

@testable import SensorBroker

/// One value of several sensors at one time.
@Suite(.timeLimit(.minutes(30))) struct AlignedTests {
    private var bench = HubBench()

    private var request: SensorRequest {
        var request = SensorRequest.every(10)
        request.companions = [.gyroscope, .location]
        return request
    }

    @Test("what is aligned is asked for with its lead, in one call, and removed with it")
    mutating func wire() throws {
        let listener = bench.listen(request)
        let stream = bench.connections("Subscribe")[0]
        let asked = try #require(bench.open[stream]).parameters.objects("requests")
        let lead = try #require(try asked.first { try $0.optionalString("alignTo") == nil }?.string("label"))
        #expect(try asked.compactMap { try $0.optionalString("alignTo") } == [lead, lead])
        #expect(try Set(asked.map { try $0.string("label") }) == [lead, "\(lead).0", "\(lead).1"])
        bench.begin(stream)
        let other = bench.listen(SensorRequest(.location))
        bench.carryOut(of: stream)
        bench.leave(listener)
        bench.advance(5_000_000_000)
        let change = try #require(bench.connections("Modify").first.flatMap { bench.open[$0] })
        #expect(try Set(change.parameters.strings("remove")) == [lead, "\(lead).0", "\(lead).1"])
        #expect(bench.ended[other] == nil)
    }

    @Test("values come in the order of the request, and gaps of all are reported")
    mutating func values() throws {
        let listener = bench.listen(request)
        let stream = bench.connections("Subscribe")[0]
        bench.begin(stream)
        let lead = try #require(bench.hub.audience.channels.tags.first?.label)
        let reading: JSONObject = [
            "resource": "accelerometer", "label": .string(lead), "sequence": 1, "timestampNanoseconds": 1,
            "values": ["columns": ["x": [1.0, 2.0], "y": [0.0, 0.0], "z": [0.0, 0.0]], "periodNanoseconds": 1],
            "aligned": [
                [
                    "resource": "location", "label": .string("\(lead).1"), "alignment": "interpolated",
                    "columns": ["latitudeDegrees": [52.5, nil], "longitudeDegrees": [13.4, nil]],
                ],
                [
                    "resource": "gyroscope", "label": .string("\(lead).0"), "alignment": "exact",
                    "columns": ["x": [0.5, 0.75], "y": [0.0, 0.0], "z": [0.0, 0.0]],
                ],
            ],
        ]
        let gap: JSONObject = [
            "resource": "gyroscope", "label": .string("\(lead).0"), "cause": "deviceOverflow", "count": 1,
            "fromNanoseconds": 1, "untilNanoseconds": 2,
        ]
        bench.reply(stream, ["gaps": [.object(gap)], "readings": [.object(reading)]], continues: true)
        guard case .measured(let measured) = bench.sent[listener]?.last else { throw SensorError.timedOut }
        #expect(measured.map { $0.companions[0]?.number(ofChannel: 0) } == [0.5, 0.75])
        #expect(measured.map { $0.companions[1].flatMap { Location($0) }?.latitudeDegrees } == [52.5, nil])
        let isReported = bench.sent[listener]?.contains {
            if case .gap(let gap) = $0 { gap.resource == .gyroscope } else { false }
        }
        #expect(isReported == true)
    }

    @Test("one who comes later gets the newest value of all at once, and none of a reading that came alone")
    mutating func later() throws {
        _ = bench.listen(request)
        let alone = bench.listen(.every(20))
        let stream = bench.connections("Subscribe")[0]
        bench.begin(stream)
        bench.carryOut(of: stream)
        bench.deliver(stream, x: 1)
        let early = bench.listen(request)
        #expect(bench.measured(by: early).isEmpty && bench.measured(by: alone).count == 1)
        let lead = try #require(bench.hub.audience.channels.tags.compactMap(\.label).first)
        let reading: JSONObject = [
            "resource": "accelerometer", "label": .string(lead), "sequence": 2,
            "timestampNanoseconds": .integer(bench.now.nanoseconds),
            "values": ["columns": ["x": [2.0], "y": [0.0], "z": [0.0]]],
            "aligned": [
                [
                    "resource": "gyroscope", "label": .string("\(lead).0"), "alignment": "exact",
                    "columns": ["x": [0.5], "y": [0.0], "z": [0.0]],
                ]
            ],
        ]
        bench.reply(stream, ["readings": [.object(reading)]], continues: true)
        let late = bench.listen(request)
        #expect(bench.measured(by: late).map { $0.companions[0]?.number(ofChannel: 0) } == [0.5])
    }

    @Test("a host without one of the sensors ends the stream, and no other")
    mutating func missing() {
        let listener = bench.listen(request)
        let good = bench.listen(.every(20))
        let stream = bench.connections("Subscribe")[0]
        bench.refuse(stream, "NoSuchResource", ["resource": "gyroscope"])
        #expect(bench.ended == [listener: .noSuchResource(.gyroscope)])
        #expect(bench.connections("Subscribe").count == 1 && bench.hub.failure(of: good) == nil)
    }

    @Test("several sensors of a host are seen at one time, at the interval that was asked for")
    func motion() async throws {
        let host = try SimulatedHost(scenarioText: "[accelerometer]\n[gyroscope]\n[magnetometer]\n")
        let broker = Broker(.simulated(host))
        let readings = broker.aligned(
            Acceleration.self, AngularVelocity.self, MagneticField.self, every: .milliseconds(10))
        var stamps: [BootTime] = []
        var complete = 0
        for try await motion in readings {
            let (acceleration, rotation, field) = motion.value
            #expect(acceleration.z.isFinite)
            if let rotation, let field, rotation.x.isFinite, field.x.isFinite { complete += 1 }
            stamps.append(motion.timestamp)
            if complete == 20 { break }
        }
        #expect(broker.usage.subscriptions == 1)
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("what has nothing between its values cannot be aligned, and that is reported")
    func impossible() async throws {
        let host = try SimulatedHost(scenarioText: "[accelerometer]\n[proximity]\n")
        let readings = Broker(.simulated(host)).aligned(Acceleration.self, Proximity.self)
        let error = await #expect(throws: SensorError.self) { for try await _ in readings { break } }
        guard case .invalidRequest(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("alignTo"))
    }
}

extension HubBench {
    /// What a listener was sent of readings.
    fileprivate func measured(by listener: ListenerID) -> [Measured] {
        var all: [Measured] = []
        for case .measured(let measured) in sent[listener] ?? [] { all += measured }
        return all
    }
}
