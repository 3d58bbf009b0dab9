import Admission
import Testing

@testable import Service

@Suite("What a client has of its user's shares") struct ClientSharesTests {
    private let quotas = Quotas()
    private let user: UInt32 = 4_321

    private struct Refused: Error {}

    private func shares() throws -> ClientShares {
        guard let charge = quotas.connections.charge(1, to: user) else { throw Refused() }
        return ClientShares(of: user, isTrusted: false, at: .clients, quotas, connection: charge)
    }

    @Test("lets the kernel hold as much as is needed, up to a limit, and charges what goes beyond every client's part")
    func queue() throws {
        var shares = try shares()
        let few = shares.takeQueue(bytes: 1_000)
        #expect(few == 1_000 && quotas.queues.charged == 0)
        let most = shares.takeQueue(bytes: .max)
        #expect(most == Limits.queuedBytes && quotas.queues.charged == most - Limits.leastQueuedBytes)
        let least = shares.takeQueue(bytes: Limits.leastQueuedBytes)
        #expect(least == Limits.leastQueuedBytes && quotas.queues.charged == 0)
    }

    @Test("halves the queue until its user may have it, down to every client's part")
    func halved() throws {
        var shares = try shares()
        quotas.queues.terms = Quota.Terms(total: 1 << 30, perUser: Limits.leastQueuedBytes)
        let half = shares.takeQueue(bytes: Limits.leastQueuedBytes * 4)
        #expect(half == Limits.leastQueuedBytes * 2)
        quotas.queues.terms = Quota.Terms(total: 1 << 30, perUser: 0)
        let least = shares.takeQueue(bytes: Limits.leastQueuedBytes * 4)
        #expect(least == Limits.leastQueuedBytes)
    }

    @Test("gives everything back with the connection")
    func givenBack() throws {
        do {
            var shares = try shares()
            let granted = shares.takeQueue(bytes: Limits.queuedBytes)
            #expect(granted > 0 && quotas.connections.charged == 1)
        }
        #expect(quotas.queues.charged == 0 && quotas.connections.charged == 0)
    }
}
