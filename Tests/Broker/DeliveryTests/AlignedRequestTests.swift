import Readings
import Testing

@testable import Delivery

@Suite("Requests of a stream that are aligned") struct AlignedRequestTests {
    private func request(_ name: String, to lead: String? = nil) throws -> Request {
        var request = Request(resource: try #require(ResourceName(name)))
        request.alignTo = lead
        return request
    }

    @Test("mark those that others are aligned to")
    func leads() throws {
        var stale = try request("light")
        stale.leads = true
        let requests = try Request.aligned([
            request("gyroscope"), request("accelerometer", to: "gyroscope"), stale,
        ])
        #expect(requests.map(\.leads) == [true, false, false] && requests.map(\.isAligned) == [true, true, false])
    }

    @Test("need a lead that is requested by itself, and values that lie on a line")
    func faults() throws {
        let gyroscope = try request("gyroscope")
        #expect(throws: AlignmentFault.noLead) { try Request.aligned([request("light", to: "gyroscope")]) }
        #expect(throws: AlignmentFault.noLead) { try Request.aligned([request("light", to: "light")]) }
        #expect(throws: AlignmentFault.noLead) {
            try Request.aligned([gyroscope, request("light", to: "gyroscope"), request("pressure", to: "light")])
        }
        #expect(throws: AlignmentFault.noInterpolation) {
            try Request.aligned([gyroscope, request("proximity", to: "gyroscope")])
        }
        var choosy = try request("light", to: "gyroscope")
        choosy.minimumChange = 5
        #expect(throws: AlignmentFault.minimumChange) { try Request.aligned([gyroscope, choosy]) }
    }
}
