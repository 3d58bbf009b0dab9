import Delivery
import Readings
import Testing
import Varlink

@testable import Service

@Suite("A request's parameters") struct RequestParametersTests {
    @Test("are all read")
    func whole() throws {
        let request = try Request(
            Parameters([
                "resource": "location", "intervalNanoseconds": 5, "batchNanoseconds": 0, "filter": "mean",
                "minimumChange": 2,
            ]))
        #expect(request.resource == .location)
        #expect(request.intervalNanoseconds == 5)
        #expect(request.batchNanoseconds == 0)
        #expect(request.filter == .mean)
        #expect(request.minimumChange == 2.0)
    }

    @Test("may omit everything but the resource, and null is the same as omitted")
    func defaults() throws {
        let request = try Request(Parameters(["resource": "accelerometer", "filter": nil, "intervalNanoseconds": nil]))
        #expect(request == Request(resource: .accelerometer))
    }

    static let refused: [(JSONObject, VarlinkError)] = [
        ([:], .invalidParameter("resource")),
        (["resource": 5], .invalidParameter("resource")),
        (["resource": "location", "intervalNanoseconds": -1], .invalidParameter("intervalNanoseconds")),
        (["resource": "location", "intervalNanoseconds": 1.5], .invalidParameter("intervalNanoseconds")),
        (["resource": "location", "batchNanoseconds": "1"], .invalidParameter("batchNanoseconds")),
        (["resource": "location", "filter": "median"], .invalidParameter("filter")),
        (["resource": "location", "minimumChange": -0.5], .invalidParameter("minimumChange")),
        (["resource": "location", "interval": 1], .invalidParameter("interval")),
        (["resource": "Location"], .noSuchResource("Location")),
        (["resource": "../../etc"], .noSuchResource("../../etc")),
    ]

    @Test("are refused by name where they are wrong", arguments: refused)
    func areRefused(parameters: JSONObject, error: VarlinkError) {
        #expect(throws: error) { try Request(Parameters(parameters)) }
    }

    @Test("may not name a resource twice, nor be too many")
    func lists() {
        let location = Parameters(["resource": "location"])
        #expect(throws: VarlinkError.invalidParameter("requests")) { try Request.list([location, location]) }
        let many = (0...Limits.requestsPerSubscription).map { Parameters(["resource": .string("accelerometer:\($0)")]) }
        #expect(throws: VarlinkError.tooManyRequests(limit: Limits.requestsPerSubscription)) { try Request.list(many) }
    }

    @Test("may name a resource again with a label, which must be short, simple and not taken")
    func labels() throws {
        func request(_ label: JSONValue) -> Parameters { Parameters(["resource": "location", "label": label]) }
        let plain = Parameters(["resource": "location"])
        #expect(try Request.list([plain, request("a"), request("B-2_.")]).map(\.name) == ["location", "a", "B-2_."])
        #expect(try Request(request(.null)).label == nil)
        for label: JSONValue in [
            "", "a b", "é", "a:1", "a\u{0}", 5, true, ["a"], .string(String(repeating: "a", count: 33)),
        ] {
            #expect(throws: VarlinkError.invalidParameter("label")) { try Request(request(label)) }
        }
        for twice in [[request("a"), request("a")], [plain, request("location")]] {
            #expect(throws: VarlinkError.invalidParameter("requests")) { try Request.list(twice) }
        }
    }
}
