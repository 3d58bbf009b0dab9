@testable import Delivery
import Readings
import Simulation
import TestTools
import Testing

@testable import Service

@Suite("A lane's payload") struct LanePayloadTests {
    @Test("has the same bytes for all members, and for a late one without earlier readings")
    func variants() throws {
        let gap = Gap(cause: .deviceOverflow, count: 1, from: at(50), until: at(60))
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 0
        let grant = Grant(request, within: resource.limits)
        _ = resource.join(1, grant, now: at(0))
        _ = resource.join(2, grant, now: at(0))
        _ = resource.join(3, grant, now: at(70))
        resource.accept(gap)
        resource.accept(Sample(sequence: 0, timestamp: at(80), measurement: acceleration), now: at(80))
        var payload = LanePayload()
        let message = resource.lanes[0].message
        payload.begin(message, of: .accelerometer)
        let contents = resource.lanes[0].members.compactMap { message.content(for: $0) }
        let texts = contents.map { text(&payload, message, $0) }
        #expect(texts.map { $0.contains("gaps") } == [true, true, false])
        #expect(texts.map { $0.contains("readings") } == [true, true, true])
        #expect(contents[0] == contents[1])
        let range = try #require(ReadingRange(message.readings(in: contents[1])))
        resource.lanes[0].members[1].didDeliver(range)
        let again = try #require(message.content(for: resource.lanes[0].members[1]))
        let sent = text(&payload, message, again)
        #expect(sent.contains("gaps") && !sent.contains("readings") && again.firstReading == nil)
        resource.lanes[0].members[2].didDeliver(range)
        #expect(message.content(for: resource.lanes[0].members[2]) == nil)
    }

    @Test("sends each member those of several gaps that concern it")
    func someGaps() throws {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 0
        let grant = Grant(request, within: resource.limits)
        _ = resource.join(1, grant, now: at(0))
        _ = resource.join(2, grant, now: at(70))
        resource.accept(Gap(cause: .deviceOverflow, count: 1, from: at(50), until: at(60)))
        resource.accept(Gap(cause: .reconfigured, count: 1, from: at(80), until: at(90)))
        var payload = LanePayload()
        let message = resource.lanes[0].message
        payload.begin(message, of: .accelerometer)
        var texts: [String] = []
        for member in resource.lanes[0].members {
            texts.append(text(&payload, message, try #require(message.content(for: member))))
        }
        let (early, late) = (texts[0], texts[1])
        #expect(early.contains("deviceOverflow") && early.contains("reconfigured"))
        #expect(!late.contains("deviceOverflow") && late.contains("reconfigured"))
    }

    @Test(
        "is the remainder of the batch for clients that joined while it was gathered, with the same bytes for all of them"
    )
    func restOfBatch() throws {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 0
        request.batchNanoseconds = 1_000
        let grant = Grant(request, within: resource.limits)
        _ = resource.join(1, grant, now: at(0))
        for sequence: UInt64 in 0..<6 {
            // Two come together, one later.
            if sequence == 2 {
                for client: UInt64 in 2...3 { _ = resource.join(Client(Int(client)), grant, now: at(20)) }
            }
            if sequence == 4 { _ = resource.join(4, grant, now: at(40)) }
            let time = at(Int64(sequence) * 10)
            resource.accept(Sample(sequence: sequence, timestamp: time, measurement: acceleration), now: time)
        }
        var payload = LanePayload()
        let message = resource.lanes[0].message
        payload.begin(message, of: .accelerometer)
        var contents: [LaneMessage.Content] = []
        for member in resource.lanes[0].members {
            let content = try #require(message.content(for: member))
            let first = try #require(content.firstReading)
            #expect(text(&payload, message, content).contains("\"sequence\":\(first),"))
            #expect(message.readings(in: content).count == 6 - first)
            contents.append(content)
        }
        #expect(contents == [.whole, .part(from: 2, gaps: []), .part(from: 2, gaps: []), .part(from: 4, gaps: [])])
    }

    @Test("does not depend on the lane for which it was used last")
    func usedAgain() throws {
        var reused = LanePayload()
        var texts: Set<String> = []
        for name in [ResourceName.accelerometer, try #require(ResourceName("accelerometer:1"))] {
            for lane in try lanes() + lanes().reversed() {
                var fresh = LanePayload()
                let message = lane.message
                fresh.begin(message, of: name)
                reused.begin(message, of: name)
                let content = try #require(message.content(for: lane.members[0]))
                let sent = text(&fresh, message, content)
                #expect(text(&reused, message, content) == sent)
                texts.insert(sent)
            }
        }
        #expect(texts.count == 12)
    }

    /// Lanes with messages, some of them equal: with one sample, another, both, one with a gap, and satellites.
    private func lanes() throws -> [Lane] {
        var location = Location(fix: .noPosition)
        location.satellites = []
        let first = Sample(sequence: 7, timestamp: at(100), measurement: acceleration)
        var second = first
        second.measurement = .values(Acceleration(x: 3, y: 2, z: 1))
        let third = Sample(sequence: 7, timestamp: at(100), measurement: .location(location))
        let gap = Gap(cause: .deviceOverflow, count: 1, from: at(50), until: at(60))
        let sent: [(samples: [Sample], gaps: [Gap], satellites: Bool)] = [
            ([first], [], false), ([first], [], false), ([second], [], false), ([first, second], [], false),
            ([first], [gap], false), ([first], [], false), ([third], [], true), ([third], [], false),
        ]
        return try sent.map { samples, gaps, satellites in
            let kind = samples[0].measurement.kind
            var resource = Resource(name: kind == .location ? .location : .accelerometer, kind: kind)
            var request = Request(resource: resource.name)
            request.intervalNanoseconds = 0
            request.wantsSatellites = satellites
            _ = resource.join(1, Grant(request, within: resource.limits), now: at(0))
            for gap in gaps { resource.accept(gap) }
            for sample in samples { resource.accept(sample, now: sample.timestamp) }
            return try #require(resource.lanes.first)
        }
    }

    private let acceleration = Measurement.values(Acceleration(x: 1, y: 2, z: 3))

    private func text(_ payload: inout LanePayload, _ message: LaneMessage, _ content: LaneMessage.Content) -> String {
        payload.read(content, of: message) { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}

extension Lane {
    fileprivate var message: LaneMessage {
        var lane = self
        return lane.makeMessage()
    }
}
