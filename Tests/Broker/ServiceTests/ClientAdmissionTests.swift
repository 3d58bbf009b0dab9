import Admission
import Glibc
import Platform
import Readings
import Testing

@testable import Service

@Suite("The admission of clients") struct ClientAdmissionTests {
    private let quotas = Quotas()
    private let now = BootTime(nanoseconds: 1_000_000_000)
    private let admission: ClientAdmission

    init() { admission = ClientAdmission(quotas, RationedJournal(Journal(isSilent: true))) }

    private struct Refused: Error {}

    private func admit(_ peer: Peer, at door: Door) throws -> Charge {
        guard let charge = admission.charge(peer, at: door) else { throw Refused() }
        return charge
    }

    private func turnAway(_ client: PairedClient, at door: Door = .clients, now: BootTime) throws {
        let socket = UnixSocket(Descriptor(owning: client.near))
        let peer = try socket.peer()
        admission.turnAway(socket, peer, at: door, now: now)
    }

    @Test("charges a connection to its user, separately for each socket, as long as it exists")
    func charged() throws {
        let client = try PairedClient()
        let socket = UnixSocket(Descriptor(owning: client.near))
        let peer = try socket.peer()
        quotas.connections.terms = Quota.Terms(total: 1, perUser: 1, perTrustedUser: 1)
        let charge = try admit(peer, at: .clients)
        #expect(quotas.connections.charged == 1)
        #expect(throws: Refused.self) { _ = try admit(peer, at: .clients) }
        let other = try admit(peer, at: .administrators)
        #expect(quotas.administration.charged == 1)
        let amounts = [charge.amount, other.amount]
        #expect(amounts == [1, 1])
    }

    @Test("sends a rejected client the reason, and closes its socket a moment later")
    func rejected() throws {
        let client = try PairedClient()
        #expect(admission.deadline == nil)
        try turnAway(client, now: now)
        client.listen()
        #expect(client.transcript.contains("io.sensorbroker.Broker.TooManyConnections"))
        #expect(!client.transcript.contains("⇥"))
        let deadline = try #require(admission.deadline)
        #expect(deadline == now + Limits.turnedAwayNanoseconds)
        admission.closeRejected(deadline + -1)
        #expect(client.received() == "")
        admission.closeRejected(deadline)
        #expect(client.received() == "⇥")
        #expect(admission.deadline == nil)
    }

    @Test("keeps a bounded number of rejected clients, and closes the first of them first")
    func bounded() throws {
        let clients = try (0...Limits.turnedAway).map { _ in try PairedClient() }
        for (index, client) in clients.enumerated() { try turnAway(client, now: now + Int64(index)) }
        #expect(try #require(clients.last).received().hasSuffix("⇥"))
        admission.closeRejected(now + Limits.turnedAwayNanoseconds)
        #expect(clients[0].received().hasSuffix("⇥") && !clients[1].received().hasSuffix("⇥"))
        #expect(admission.deadline == now + Limits.turnedAwayNanoseconds + 1)
    }
}
