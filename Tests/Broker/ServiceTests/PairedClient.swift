import Glibc
import Platform
import Testing

/// The two ends of a client.
final class PairedClient {
    let far: UnixSocket
    /// The identity of the client; tests set it.
    let near: Int32
    let cookie: UInt64
    /// What it has read so far.
    private(set) var transcript = ""

    init() throws {
        var numbers: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        far = UnixSocket(Descriptor(owning: numbers[1]))
        let socket = UnixSocket(Descriptor(owning: numbers[0]))
        cookie = socket.cookie
        near = socket.release()
    }

    /// Reads what has arrived.
    func listen() { transcript += received() }

    /// Everything sent to it since the last call; an arrow marks the end of the connection.
    func received() -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            switch far.receive(into: &buffer) {
            case .received(let count): text += String(decoding: buffer[..<count], as: UTF8.self)
            case .ended: return text + "⇥"
            default: return text
            }
        }
    }
}
