import Devices
import Readings
import Testing
import Varlink

@testable import Service

@Suite("What a program offers to provide") struct FeedOfferTests {
    private func offer(_ more: JSONObject = [:]) throws(VarlinkError) -> FeedOffer {
        var object: JSONObject = ["resources": .array([.object(["name": .string("accelerometer:arm")])])]
        for member in more.members { _ = object.append(member.key, member.value) }
        return try FeedOffer(Parameters(object))
    }

    @Test("without more follows no wishes")
    func plain() throws {
        let offer = try offer()
        #expect(offer.names == [ResourceName("accelerometer:arm")])
        #expect(offer.intervals == nil && offer.interval(for: 5_000_000) == nil && !offer.isSimulated)
    }

    @Test("is asked for the slowest interval that is enough, or for its fastest")
    func discrete() throws {
        let offer = try offer(["intervalsNanoseconds": .array([.integer(5_000), .integer(20_000), .integer(90_000)])])
        let asked = [4_000, 5_000, 19_999, 20_000, 1_000_000].map { offer.interval(for: $0) }
        #expect(asked == [5_000, 5_000, 5_000, 20_000, 90_000])
        #expect(offer.interval(for: nil) == nil)
    }

    @Test("is asked for any interval of its range")
    func range() throws {
        let offer = try offer(["shortestNanoseconds": .integer(5_000), "longestNanoseconds": .integer(90_000)])
        #expect([4_000, 7_777, 100_000].map { offer.interval(for: $0) } == [5_000, 7_777, 90_000])
    }

    @Test("may not control the terminals of those who read its description")
    func description() throws {
        let offer = try offer(["description": .string("an\u{1b}[2Jarm\n" + String(repeating: "x", count: 500))])
        let text = try #require(offer.description)
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 } && text.count < 200)
    }

    @Test("names kinds that there are")
    func kinds() {
        let resource: JSONObject = ["name": .string("accelerometer:arm"), "kind": .string("speed of light")]
        #expect(throws: VarlinkError.noSuchKindToProvide("speed of light")) {
            try FeedOffer(Parameters(["resources": .array([.object(resource)])]))
        }
    }
}

@Suite("A program's samples") struct FeedSamplesTests {
    private let now = BootTime(nanoseconds: 1_000_000_000_000)

    @Test("are as many in the long run as its rate allows, and those of a second at once")
    func allowance() {
        var allowance = SampleAllowance(perSecond: 10, now: now)
        let atOnce = (0..<100).count { _ in allowance.take(1, now: now) }
        #expect((10...11).contains(atOnce))
        let later = (1...1_000).count { allowance.take(1, now: now + Int64($0) * 10_000_000) }
        #expect((99...101).contains(later))
        // A pause earns no more than a second's.
        let hour = now + 3_600_000_000_000
        let afterwards = (0..<100).count { _ in allowance.take(1, now: hour) }
        #expect((10...11).contains(afterwards))
    }

    @Test("that were to be gathered are taken together, and no more than they")
    func batch() {
        var allowance = SampleAllowance(perSecond: 10, now: now)
        let unasked = allowance.take(100, now: now)
        allowance.gatheringNanoseconds = 10_000_000_000
        let tooEarly = allowance.take(100, now: now)
        let later = now + 20_000_000_000
        let gathered = allowance.take(100, now: later)
        let more = allowance.take(11, now: later)
        let next = allowance.take(100, now: later + 10_000_000_000)
        #expect(!unasked && !tooEarly && gathered && !more && next)
    }

    @Test("that take more than their user's share stop all of its programs, and nobody else's")
    func pacing() {
        var pacing = FeedPacing()
        var later = now
        var isPaused = false
        while !isPaused {
            isPaused = pacing.didTake(1_000_000, of: 1, through: 5, now: later)
            later = later + 1_000_000
        }
        let other = pacing.didTake(1_000, of: 1, through: 6, now: later)
        let another = pacing.didTake(1_000, of: 2, through: 7, now: later)
        #expect(other && !another && pacing.deadline.map { $0 > later } == true)
        let due = pacing.takeDue(later + 1_000_000_000)
        #expect(due.sorted() == [5, 6] && pacing.deadline == nil)
    }

    @Test("have times that grow, and none of the future")
    func times() {
        var times = SampleTimes()
        // What is refused moves nothing.
        let tried = [(0, 0), (0, 0), (-1, 0), (1, 0), (1, 1), (2, 2)].map { sample, clock in
            times.refusal(of: now + sample, now: now + clock) == nil
        }
        #expect(tried == [true, false, false, false, true, true])
    }

    @Test("that are refused are reported at once, and then once a second")
    func refusals() throws {
        var refusals = FeedRefusals()
        let nothing = refusals.take(now: now)
        #expect(refusals.deadline == nil && nothing == nil)
        refusals.add(2, "first")
        refusals.add(1, "second")
        #expect(try #require(refusals.deadline) <= now)
        let reported = refusals.take(now: now)
        #expect(reported?.count == 3 && reported?.reason == "second")
        refusals.add(1, "third")
        #expect(refusals.deadline == now + 1_000_000_000)
    }

    private func samples(_ objects: [JSONObject], of kinds: [Kind]) throws(VarlinkError) -> PushedSamples {
        let resources = kinds.map { (name: $0.row.firstResource, kind: $0) }
        return try PushedSamples(
            Parameters(["samples": .array(objects.map { .object($0) })]), of: resources, arrived: now)
    }

    private func object(_ name: String, x: [Double], at time: Int64?, period: Int64? = nil) -> JSONObject {
        let zeros = JSONValue.array(x.map { _ in .number(0) })
        var values: JSONObject = ["columns": .object(["x": .array(x.map { .number($0) }), "y": zeros, "z": zeros])]
        if let period { _ = values.append("periodNanoseconds", .integer(period)) }
        var object: JSONObject = ["resource": .string(name), "values": .object(values)]
        if let time { _ = object.append("timestampNanoseconds", .integer(time)) }
        return object
    }

    @Test("of several resources are taken in the order of the offer, whatever the order of the call")
    func order() throws {
        let gyroscope = object("gyroscope", x: [1, 2], at: 50, period: 10)
        let accelerometer = object("accelerometer", x: [8, 9], at: 50, period: 10)
        let samples = try samples([gyroscope, accelerometer], of: [.acceleration, .angularVelocity])
        #expect(samples.timestamps.map(\.nanoseconds) == [50, 60])
        #expect(samples.scan(at: 1).map(\.quantity.kind) == [.acceleration, .angularVelocity])
    }

    @Test("of several resources have the same times")
    func sameTimes() {
        let gyroscope = object("gyroscope", x: [1], at: 50)
        let accelerometer = object("accelerometer", x: [8], at: 51)
        #expect(throws: VarlinkError.invalidParameter("timestampNanoseconds")) {
            try samples([gyroscope, accelerometer], of: [.acceleration, .angularVelocity])
        }
    }

    @Test("without a time end now")
    func arrival() throws {
        let samples = try samples([object("accelerometer", x: [1, 2, 3], at: nil, period: 100)], of: [.acceleration])
        #expect(samples.timestamps == [now + -200, now + -100, now])
    }

    @Test("cannot have times that overflow")
    func overflow() {
        for (time, period) in [(Int64.max, Int64(1)), (0, .max), (.min, .min)] {
            #expect(throws: VarlinkError.self) {
                try samples([object("accelerometer", x: [1, 2, 3], at: time, period: period)], of: [.acceleration])
            }
        }
        #expect(throws: VarlinkError.self) {
            try samples([object("accelerometer", x: [1, 2], at: nil, period: .min)], of: [.acceleration])
        }
    }
}
