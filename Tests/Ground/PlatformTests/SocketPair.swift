import Glibc
import Platform
import Testing

/// Two connected sockets.
struct SocketPair: ~Copyable {
    let near: UnixSocket
    let far: UnixSocket

    init() throws {
        var numbers: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        near = UnixSocket(Descriptor(owning: numbers[0]))
        far = UnixSocket(Descriptor(owning: numbers[1]))
    }

    /// Ends both directions of the far side.
    func endFar() { shutdown(far.number, Int32(SHUT_RDWR)) }
}
