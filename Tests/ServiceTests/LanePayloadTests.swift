import Delivery
import Readings
import Testing

@testable import Service

@Suite("A lane's payload") struct LanePayloadTests {
    @Test("is the same bytes for all members, and for a latecomer without what was before it")
    func variants() {
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
        var messages: [LanePayload.Message] = []
        for member in resource.lanes[0].members { messages.append(payload.message(for: member)) }
        #expect(messages.map { text($0).contains("gaps") } == [true, true, false])
        #expect(messages.map { text($0).contains("readings") } == [true, true, true])
        #expect(messages[0].bytes == messages[1].bytes)
        resource.lanes[0].members[1].didDeliver(resource.lanes[0].readings)
        let again = payload.message(for: resource.lanes[0].members[1])
        #expect(text(again).contains("gaps") && !text(again).contains("readings") && !again.hasReadings)
        resource.lanes[0].members[2].didDeliver(resource.lanes[0].readings)
        let nothing = payload.message(for: resource.lanes[0].members[2])
        #expect(nothing.bytes.isEmpty)
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
        let early = text(payload.message(for: resource.lanes[0].members[0]))
        let late = text(payload.message(for: resource.lanes[0].members[1]))
        #expect(early.contains("deviceOverflow") && early.contains("reconfigured"))
        #expect(!late.contains("deviceOverflow") && late.contains("reconfigured"))
    }

    private let acceleration = Measurement.acceleration(Acceleration(x: 1, y: 2, z: 3))

    private func text(_ message: LanePayload.Message) -> String { String(decoding: message.bytes, as: UTF8.self) }

    private func at(_ nanoseconds: Int64) -> BootTime { BootTime(nanoseconds: nanoseconds) }
}
