import Admission
import Delivery
import Testing

@testable import Service

@Suite("Bytes that do not fit a client's socket") struct UnsentBytesTests {
    private let client: AdmittedClient
    private var bytes: Quota { client.server.clients.quotas.bytes }

    init() throws { client = try AdmittedClient() }

    @Test("are charged to the user beyond a free amount, and given back when they are read")
    func charged() {
        let message = [UInt8](repeating: 0x20, count: 1 << 20)
        client.connection.reply(message, now: client.now)
        #expect(bytes.charged == client.connection.unsent.count - Limits.leastUnsentBytes)
        #expect(bytes.charged > 0)
        // A reply after it counts, too.
        client.connection.reply(message, now: client.now)
        #expect(bytes.charged == client.connection.unsent.count - Limits.leastUnsentBytes)
        var read = client.read()
        while !client.connection.flush(now: client.now) { read += client.read() }
        #expect(read + client.read() == 2 << 20)
        #expect(bytes.charged == 0)
        #expect(client.connection.phase != .closing)
    }

    @Test("are free as far as they were reserved")
    func reserved() {
        client.connection.setSendBuffer(bytes: 0, reservedUnsentBytes: 1 << 20)
        client.connection.reply([UInt8](repeating: 0x20, count: 1 << 20), now: client.now)
        #expect(client.connection.hasUnsent && bytes.charged == 0)
    }

    @Test("end the connection if the user may have no more")
    func exhausted() {
        bytes.terms = Quota.Terms(total: 1 << 20, perUser: 1 << 19)
        client.connection.reply([UInt8](repeating: 0x20, count: 64 << 10), now: client.now)
        #expect(client.connection.phase != .closing)
        client.connection.reply([UInt8](repeating: 0x20, count: 2 << 20), now: client.now)
        #expect(client.connection.phase == .closing)
    }

    @Test("are kept for an administrator, whatever clients have used")
    func administrators() throws {
        let administrator = try AdmittedClient(.administrators)
        administrator.server.clients.quotas.bytes.terms = Quota.Terms(total: 0, perUser: 0)
        administrator.connection.reply([UInt8](repeating: 0x20, count: 2 << 20), now: administrator.now)
        #expect(administrator.connection.hasUnsent && administrator.connection.phase != .closing)
    }
}
