import Admission
import Delivery
import Readings
import Testing

@testable import Service

@Suite("The bytes of a batch") struct BatchReservationTests {
    private let client: AdmittedClient
    private var bytes: Quota { client.server.clients.quotas.bytes }

    init() throws { client = try AdmittedClient() }

    private func request(every intervalNanoseconds: Int64 = 10_000_000, batch: Int64) -> Request {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = intervalNanoseconds
        request.batchNanoseconds = batch
        return request
    }

    private func reserve(_ request: Request) -> Subscription.Part {
        client.broker.streams.granting.reserve(request, of: 0, for: client.connection)
    }

    @Test("are charged to its user as long as the stream exists")
    func charged() {
        do {
            let part = reserve(request(batch: 10_000_000_000))
            #expect(part.grant.batchNanoseconds == 10_000_000_000)
            let readings = part.grant.batchReadings * MemoryLayout<Sample>.stride
            #expect(bytes.charged > readings)
            // The same for a different request with the same grant.
            #expect(part.asked(request(batch: 1)).reservation === part.reservation)
        }
        #expect(bytes.charged == 0)
    }

    @Test("are free for a short batch, and for a stream without one")
    func free() {
        for batch: Int64 in [0, 160_000_000] {
            let part = reserve(request(batch: batch))
            #expect(part.grant.batchNanoseconds == batch && part.reservation == nil)
        }
        #expect(bytes.charged == 0)
    }

    @Test("exceed the share for a long batch, so that a shorter one is granted")
    func shortened() {
        bytes.terms = Quota.Terms(total: 64 << 10, perUser: 64 << 10)
        let wanted = request(batch: 20_000_000_000)
        let part = reserve(wanted)
        #expect((1_000_000_000..<10_000_000_000).contains(part.grant.batchNanoseconds))
        #expect(part.grant.reservedBytes(of: .acceleration) == bytes.charged)
        // If nothing is left, the part that is free for everybody.
        bytes.terms = Quota.Terms(total: 0, perUser: 0)
        let least = reserve(wanted)
        #expect(least.grant.batchNanoseconds >= 160_000_000 && least.reservation == nil)
        // Changes of the device do not change a batch that did not fit, as long as they change nothing else.
        let limits = client.broker.catalog.limits(of: 0, for: client.connection)
        #expect(Grant(wanted, within: limits, batchOf: least.batchOf) == least.grant)
    }

    @Test("are bounded for any request, of any kind")
    func extremes() {
        for kind in [Kind.location, .acceleration, .orientation] {
            for interval: Int64 in [0, 1, .max] {
                for batch: Int64 in [1, .max] {
                    var request = request(every: interval, batch: batch)
                    request.wantsSatellites = true
                    let grant = Grant(request, within: IntervalLimits(kind: kind, offered: nil))
                    #expect(grant.batchReadings <= Grant.readingsPerReply)
                    #expect((1...(64 << 20)).contains(grant.batchBytes(of: kind) + grant.batchReplyBytes(of: kind)))
                }
            }
        }
    }
}
