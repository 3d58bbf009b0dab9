import BrokerClient
import Testing
import Varlink

@testable import SensorBroker

/// A provision on virtual time.
@Suite("A provision") struct ProvisionTests {
    private var provision = Provision(seed: 1)
    private let wanted = SensorDemand.samples(every: .milliseconds(10), latency: .zero)

    private func time(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }

    private func reply(wanted: Bool, _ more: JSONObject = [:]) throws -> ProvideReply {
        var object: JSONObject = ["wanted": .bool(wanted)]
        if wanted { _ = object.append("intervalNanoseconds", 10_000_000) }
        for member in more.members { _ = object.append(member.key, member.value) }
        return try ProvideReply(Parameters(object))
    }

    private mutating func ask(at milliseconds: Int64) {
        let isDue = provision.isDue(time(milliseconds))
        #expect(isDue)
        provision.didAsk(time(milliseconds))
    }

    @Test("reports what is wanted once it is answered, and what was refused")
    mutating func demand() throws {
        ask(at: 0)
        #expect(!provision.isProvided)
        let first = provision.replied(try reply(wanted: false))
        #expect(first == [.provided, .event(.demand(.nobody))] && provision.isProvided && provision.deadline == nil)
        let second = provision.replied(try reply(wanted: true))
        #expect(second == [.event(.demand(wanted))])
        let third = provision.replied(try reply(wanted: true, ["refused": ["count": 3, "reason": "late"]]))
        #expect(third == [.event(.refused(count: 3, reason: "late")), .event(.demand(wanted))])
        let fourth = provision.replied(try reply(wanted: true, ["latencyNanoseconds": 1_000_000_000]))
        #expect(fourth == [.event(.demand(.samples(every: .milliseconds(10), latency: .seconds(1))))])
    }

    @Test("connects again after growing pauses, for as long as the broker is away")
    mutating func away() {
        let missing = SensorError.brokerMissing(paths: ["/x"])
        var now = time(0)
        for longest in [300, 600, 1_200, 2_400, 2_400] as [Int64] {
            let isDue = provision.isDue(now)
            let changes = provision.lost(missing, now)
            #expect(isDue && changes == [.event(.disconnected(missing))])
            let next = provision.deadline
            #expect(next.map { $0 > now && $0 <= now + longest * 1_000_000 } == true)
            #expect(!provision.isDue(now))
            now = next ?? now
        }
    }

    @Test("a demand outlives a restart of the broker, and ends if the broker stays away")
    mutating func restart() throws {
        ask(at: 0)
        _ = provision.replied(try reply(wanted: true))
        let lost = provision.lost(.disconnected, time(1_000))
        #expect(lost == [.event(.disconnected(.disconnected))] && !provision.isProvided)
        ask(at: 1_400)
        // The clients are not there yet.
        let early = provision.replied(try reply(wanted: false))
        #expect(early == [.provided] && provision.deadline == time(6_000))
        let back = provision.replied(try reply(wanted: true))
        #expect(back == [.event(.demand(wanted))] && provision.deadline == nil)
        _ = provision.lost(.disconnected, time(7_000))
        let later = provision.expire(time(11_999))
        let over = provision.expire(time(12_000))
        #expect(later == [] && over == [.event(.demand(.nobody))])
    }

    @Test("a refusal is tried again; what no broker will accept is not")
    mutating func refused() throws {
        let taken = SensorError.nameTaken(.accelerometer, holder: "process 7")
        ask(at: 0)
        let first = provision.refused(taken, time(1))
        #expect(first == [.event(.disconnected(taken))] && !provision.isDue(time(1)))
        ask(at: 1_000)
        let second = provision.refused(.invalidRequest("x"), time(1_001))
        #expect(second == [.ended(.invalidRequest("x"))])
        #expect(!provision.isDue(time(99_000)) && provision.deadline == nil)
    }

    @Test("an unanswered call is overdue only if what came meanwhile was read")
    mutating func unanswered() {
        ask(at: 0)
        #expect(!provision.isOverdue(time(14_999)) && provision.isOverdue(time(15_000)))
        let changes = provision.lost(.unanswered(seconds: 15), time(15_000))
        #expect(changes == [.event(.disconnected(.unanswered(seconds: 15)))])
    }
}
