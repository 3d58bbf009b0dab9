import Spool
import Testing

@testable import Fleet

private let first = Identity(utcMicroseconds: 1_000_000_000, random: (0, 0))

@Suite struct InquiryTests {
    private let second: Int64 = 1_000_000_000

    /// A host as it reports, and what is missing of it.
    private struct Truck {
        var presence = HostPresence()
        var ranges: [ClosedRange<UInt64>] = [3...4]
        var name = "truck"

        mutating func report(_ state: HostState = .online, of epoch: Identity = first, keeps: Int64? = nil) {
            if let report = HostReport(Wire.status(state, epoch: epoch, streams: [], keepsNanoseconds: keeps)) {
                presence.take(report)
            }
        }

        var missing: [Missing] {
            [Missing(host: name, epoch: first, resource: "location", ranges: ranges, presence: presence)]
        }
    }

    /// The seconds at which something is asked; `happen` is called each second.
    private func asked(
        _ inquiry: inout Inquiry, _ truck: inout Truck, _ seconds: Range<Int64>, _ happen: (Int64, inout Truck) -> Void
    ) -> [Int64] {
        seconds.filter { step in
            happen(step, &truck)
            return !inquiry.asks(for: truck.missing, step * second).isEmpty
        }
    }

    /// The host reports each half minute.
    private func reporting(_ step: Int64, _ truck: inout Truck) { if step % 30 == 0 { truck.report() } }

    @Test("what is missing is asked for ever more rarely, for as long as the host keeps it")
    func patience() {
        var (inquiry, truck) = (Inquiry(delayNanoseconds: second), Truck())
        truck.report(keeps: 1_000 * second)
        let seconds = asked(&inquiry, &truck, 0..<4_000, reporting)
        #expect(seconds == [1, 5, 13, 29, 61, 125, 253, 509, 809], "the pause is five minutes at last")
    }

    @Test("where the number of requests is bounded, it is over then")
    func bounded() {
        var (inquiry, truck) = (Inquiry(delayNanoseconds: second, mostTries: 3), Truck())
        truck.report()
        #expect(asked(&inquiry, &truck, 0..<28, reporting) == [1, 5, 13] && !inquiry.isHopeless(truck.missing))
        #expect(asked(&inquiry, &truck, 28..<40, reporting).isEmpty && inquiry.isHopeless(truck.missing))
        #expect(inquiry.unanswering(truck.missing) == ["truck"] && inquiry.isHopeless([]))
    }

    @Test("a host that hangs is not asked, and once it speaks again all begins anew")
    func hanging() {
        var (inquiry, truck) = (Inquiry(delayNanoseconds: second), Truck())
        truck.report()
        let seconds = asked(&inquiry, &truck, 0..<700) { step, truck in if step >= 600 { reporting(step, &truck) } }
        #expect(seconds == [1, 5, 13, 29, 61, 601, 605, 613, 629, 661], "asked for 75 s, in which it may only be slow")
    }

    @Test("who was not connected itself begins anew too")
    func ownConnection() {
        var (inquiry, truck) = (Inquiry(delayNanoseconds: second), Truck())
        truck.report()
        #expect(asked(&inquiry, &truck, 0..<300, reporting).last == 253)
        truck.report()
        #expect(asked(&inquiry, &truck, 5_000..<5_007, reporting) == [5_001, 5_005])
    }

    @Test("a new state, and a new connection, begin anew", arguments: [true, false])
    func connected(isLost: Bool) {
        var (inquiry, truck) = (Inquiry(delayNanoseconds: second), Truck())
        truck.report()
        let seconds = asked(&inquiry, &truck, 0..<1_010) { step, truck in
            if isLost, step == 300 { truck.report(.lost) }
            if isLost, (300..<1_000).contains(step) { return }
            if step == 1_000 {
                truck.report(.online, of: isLost ? first : Identity(utcMicroseconds: 7, random: (7, 7)))
            }
            reporting(step, &truck)
        }
        #expect(seconds.suffix(2) == [1_001, 1_005] && !seconds.contains { isLost && (300..<1_000).contains($0) })
    }

    @Test("a host that answers is asked for the rest soon")
    func progress() throws {
        var (inquiry, truck) = (Inquiry(delayNanoseconds: 0, mostTries: 2), Truck())
        truck.report()
        truck.ranges = [3...4, 9...9]
        let asks = inquiry.asks(for: truck.missing, 0)
        let request = try #require(ResendRequest(asks[0].request.payload))
        #expect(asks.count == 2 && asks[0].host == "truck")
        #expect(request == ResendRequest(Array(#"{"resource":"location","epoch":"\#(first)","from":3,"to":4}"#.utf8)))
        truck.ranges = [9...9]
        #expect(inquiry.asks(for: truck.missing, second / 2).isEmpty)
        #expect(inquiry.asks(for: truck.missing, 2 * second).count == 1)
        #expect(!inquiry.isHopeless(truck.missing))
        #expect(inquiry.asks(for: [], 3 * second).isEmpty && inquiry.isHopeless([]))
    }

    @Test("a host that ended need not be waited for; one that was lost may be back in a minute")
    func away() {
        var (inquiry, truck) = (Inquiry(delayNanoseconds: 0), Truck())
        truck.report(.offline)
        #expect(inquiry.asks(for: truck.missing, 0).isEmpty && inquiry.isHopeless(truck.missing))
        truck.report(.lost)
        #expect(inquiry.asks(for: truck.missing, 50 * second).isEmpty && !inquiry.isHopeless(truck.missing))
        #expect(inquiry.asks(for: truck.missing, 70 * second).isEmpty && inquiry.isHopeless(truck.missing))
    }

    @Test("however many holes there are, a host is asked for a few at once")
    func holes() {
        var (inquiry, truck) = (Inquiry(delayNanoseconds: 0), Truck())
        truck.report()
        truck.ranges = stride(from: UInt64(1), to: 2_000, by: 2).map { $0...$0 }
        #expect(inquiry.asks(for: truck.missing, 0).count == 16)
    }

    @Test("many hosts that come back at once are asked in turn, a hundred a second, and none is forgotten")
    func many() {
        var inquiry = Inquiry(delayNanoseconds: 0)
        let missing = (0..<1_000).flatMap { number in
            var truck = Truck(name: "truck-\(number)")
            truck.report()
            return truck.missing
        }
        var hosts: Set<String> = []
        for step in 0..<80 {
            let asks = inquiry.asks(for: missing, Int64(step) * second / 4)
            #expect(asks.count <= (step == 0 ? 100 : 25))
            hosts.formUnion(asks.map(\.host))
        }
        #expect(hosts.count == 1_000)
    }
}
