internal import CLinux
internal import Glibc

/// A connection to a TCP service, with a timeout.
///
/// The kernel tries for two minutes if a host is off or a firewall drops packets, which is too long to report that a sensor
/// is missing. All addresses share the timeout. Each is tried when the one before has failed or has not answered for a
/// quarter of a second, and the first that answers is used, so an address that does not answer delays the others little.
public struct TCPConnection: ~Copyable, Sendable {
    /// The address that it is connected to.
    public let endpoint: TCPEndpoint
    private let socket: Descriptor

    /// How long to wait for a connection.
    ///
    /// Together with the resolver's or a greeting's time it stays below five seconds, in which a missing device has to be
    /// reported.
    public static let patienceNanoseconds: Int64 = 2_500_000_000
    private static let headStartNanoseconds: Int64 = 250_000_000

    private struct Attempt {
        let endpoint: TCPEndpoint
        let number: Int32
    }

    /// Connects to one of several addresses.
    ///
    /// Throws the last error of an address, or ETIMEDOUT if one did not answer in time.
    public init(to endpoints: [TCPEndpoint], withinNanoseconds: Int64) throws(SystemError) {
        let deadline = Clock.monotonicNanoseconds() + withinNanoseconds
        var waiting = endpoints[...]
        var attempts: [Attempt] = []
        defer { for attempt in attempts { _ = Descriptor(owning: attempt.number) } }
        var failure = SystemError("connect", code: ETIMEDOUT)
        while !waiting.isEmpty || !attempts.isEmpty {
            if let endpoint = waiting.popFirst() {
                do throws(SystemError) {
                    let socket = try SocketAddress.beginToConnect(endpoint.bytes)
                    attempts.append(Attempt(endpoint: endpoint, number: socket.release()))
                } catch { failure = error }
            }
            let left = deadline - Clock.monotonicNanoseconds()
            guard left > 0 else {
                failure = SystemError("connect", code: ETIMEDOUT)
                break
            }
            // The last one failed at once, as without a route: there is nothing to wait for.
            if attempts.isEmpty { continue }
            Self.wait(for: attempts, nanoseconds: waiting.isEmpty ? left : min(left, Self.headStartNanoseconds))
            for attempt in attempts {
                let code = clinux_connect_result(attempt.number)
                if code == EINPROGRESS { continue }
                attempts.removeAll { $0.number == attempt.number }
                let socket = Descriptor(owning: attempt.number)
                if code == 0 {
                    endpoint = attempt.endpoint
                    self.socket = socket
                    return
                }
                failure = SystemError("connect", code: code)
            }
        }
        throw failure
    }

    /// The descriptor's number; it does not block.
    public var number: Int32 { socket.number }

    /// Gives up ownership of the socket.
    public consuming func release() -> Descriptor { socket }

    private static func wait(for attempts: [Attempt], nanoseconds: Int64) {
        var entries = attempts.map { pollfd(fd: $0.number, events: Int16(POLLOUT), revents: 0) }
        _ = unsafe poll(&entries, nfds_t(entries.count), Int32(clamping: nanoseconds / 1_000_000 + 1))
    }
}
