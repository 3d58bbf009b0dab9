import Delivery
import Readings
import Testing

@testable import Service

@Suite("A lane's payload") struct LanePayloadTests {
    @Test("is the same bytes for all members, and for a latecomer without what was before it")
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
        payload.begin(resource.lanes[0], of: .accelerometer)
        let messages = resource.lanes[0].members.map { payload.content(for: $0) }
        #expect(messages.map { text(payload, $0).contains("gaps") } == [true, true, false])
        #expect(messages.map { text(payload, $0).contains("readings") } == [true, true, true])
        #expect(messages[0] == messages[1])
        let portion = try #require(payload.portion)
        resource.lanes[0].members[1].didDeliver(portion)
        let again = payload.content(for: resource.lanes[0].members[1])
        #expect(
            text(payload, again).contains("gaps") && !text(payload, again).contains("readings") && !again.hasReadings)
        resource.lanes[0].members[2].didDeliver(portion)
        #expect(payload.content(for: resource.lanes[0].members[2]) == .nothing)
    }

    @Test("tells each member those of several gaps that are its own")
    func someGaps() {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 0
        let grant = Grant(request, within: resource.limits)
        _ = resource.join(1, grant, now: at(0))
        _ = resource.join(2, grant, now: at(70))
        resource.accept(Gap(cause: .deviceOverflow, count: 1, from: at(50), until: at(60)))
        resource.accept(Gap(cause: .reconfigured, count: 1, from: at(80), until: at(90)))
        var payload = LanePayload()
        payload.begin(resource.lanes[0], of: .accelerometer)
        var texts: [String] = []
        for member in resource.lanes[0].members {
            let content = payload.content(for: member)
            texts.append(text(payload, content))
        }
        let (early, late) = (texts[0], texts[1])
        #expect(early.contains("deviceOverflow") && early.contains("reconfigured"))
        #expect(!late.contains("deviceOverflow") && late.contains("reconfigured"))
    }

    private let acceleration = Measurement.acceleration(Acceleration(x: 1, y: 2, z: 3))

    private func text(_ payload: LanePayload, _ content: LanePayload.Content) -> String {
        payload.read(content) { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    private func at(_ nanoseconds: Int64) -> BootTime { BootTime(nanoseconds: nanoseconds) }
}
