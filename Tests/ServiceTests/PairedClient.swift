import Glibc
import Platform
import Testing

/// A client's two ends.
final class PairedClient {
    let far: UnixSocket
    /// Whose it is is the matter of the test.
    let near: Int32
    let cookie: UInt64
    /// What it has read by now.
    private(set) var heard = ""

    init() throws {
        var numbers: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        far = UnixSocket(Descriptor(owning: numbers[1]))
        let socket = UnixSocket(Descriptor(owning: numbers[0]))
        cookie = socket.cookie
        near = socket.release()
    }

    /// Reads what is there.
    func listen() { heard += received() }

    /// All that it was sent since; the end of the connection is an arrow.
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
