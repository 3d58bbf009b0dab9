import Devices
import Glibc
import Platform
import Readings
import Testing

@testable import Service

/// A broker with an accelerometer, whose loop does not run, and one client of it.
final class AdmittedClient {
    let server: Server
    let broker: Broker
    let connection: Connection
    let now = BootTime(nanoseconds: Clock.bootNanoseconds())
    private let far: UnixSocket

    init(_ door: Door = .clients) throws {
        server = try Server()
        broker = Broker(server: server, journal: Journal(isSilent: true), health: nil, startedAt: now)
        broker.allowEveryone(now: now)
        try broker.add(.accelerometer, .acceleration, try DeviceChannel(), isSimulated: true)
        var numbers: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        far = UnixSocket(Descriptor(owning: numbers[1]))
        let handler: any CallHandler = door == .clients ? BrokerCalls(broker) : AdminCalls(broker) { _ in }
        server.clients.admit(UnixSocket(Descriptor(owning: numbers[0])), handler, now: now)
        connection = try #require(server.clients.all.first)
    }

    /// Reads everything that is there; returns how many bytes that was.
    func read() -> Int {
        var (buffer, total) = ([UInt8](repeating: 0, count: 65_536), 0)
        while case .received(let count) = far.receive(into: &buffer) { total += count }
        return total
    }
}
