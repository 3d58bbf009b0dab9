import Glibc
import Platform

/// A server of MQTT on a port of its own, whose answers a test decides; it goes on only when it is called.
final class ScriptedServer {
    /// What follows a message.
    enum Answer {
        case reason(UInt8)
        case silence
        case disconnect(UInt8)
    }

    struct CannotListen: Error {}

    /// The bytes of the answer to a connection, without the header.
    var greeting: [UInt8] = [0, 0, 0]
    var answer: (_ topic: String) -> Answer = { _ in .reason(0) }
    var subscriptionReason: UInt8 = 1
    /// Whether nothing is answered.
    var isSilent = false
    private(set) var introductions: [[UInt8]] = []
    private(set) var pings = 0
    private(set) var unsubscriptions = 0
    let port: UInt16

    private let listener: Descriptor
    private var peer: Int32?
    private var buffer: [UInt8] = []
    private var isFive = true

    /// Listens on the loopback interface. `listen(2)`
    init() throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        listener = Descriptor(owning: number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(number, pointer, length) == 0 && listen(number, 4) == 0
                    && getsockname(number, pointer, &length) == 0
            }
        }
        guard number >= 0, isBound else { throw CannotListen() }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { if let peer { close(peer) } }

    /// Accepts, reads and answers what is there.
    func turn() {
        if peer == nil {
            let number = accept(listener.number, nil, nil)
            guard number >= 0 else { return }
            (peer, buffer) = (number, [])
        }
        guard let peer else { return }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe recv(peer, &piece, piece.count, Int32(MSG_DONTWAIT))
        if count == 0 { return end() }
        if count > 0 { buffer += piece.prefix(count) }
        while let packet = nextPacket() { take(packet.header, packet.body) }
    }

    /// Sends a message.
    func publish(_ topic: String, _ payload: [UInt8]) {
        let properties: [UInt8] = isFive ? [0] : []
        send(0x30, Self.text(topic) + properties + payload)
    }

    /// Closes the connection.
    func end() {
        if let peer { close(peer) }
        peer = nil
    }

    /// Resets the connection. `socket(7)` SO_LINGER
    func reset() {
        guard let peer else { return }
        var hard = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(peer, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        end()
    }

    private func nextPacket() -> (header: UInt8, body: [UInt8])? {
        var (length, shift, place) = (0, 0, 1)
        while place < buffer.count {
            length |= Int(buffer[place] & 127) << shift
            shift += 7
            place += 1
            guard buffer[place - 1] < 128 else { continue }
            guard buffer.count >= place + length else { return nil }
            defer { buffer.removeFirst(place + length) }
            return (buffer[0], Array(buffer[place..<place + length]))
        }
        return nil
    }

    private func take(_ header: UInt8, _ body: [UInt8]) {
        switch header >> 4 {
        case 1:
            introductions.append(body)
            isFive = body[6] == 5
            send(0x20, greeting)
        case 3:
            let size = Int(body[0]) << 8 | Int(body[1])
            guard header & 0x06 != 0 else {
                _ = answer(String(decoding: body[2..<2 + size], as: UTF8.self))
                return
            }
            let identifier = Array(body[(2 + size)..<(4 + size)])
            switch answer(String(decoding: body[2..<2 + size], as: UTF8.self)) {
            case .reason(let reason): send(0x40, identifier + (isFive && reason > 0 ? [reason] : []))
            case .silence: break
            case .disconnect(let reason): send(0xE0, [reason])
            }
        case 8: send(0x90, Array(body.prefix(2)) + (isFive ? [0] : []) + [subscriptionReason])
        case 10:
            unsubscriptions += 1
            send(0xB0, Array(body.prefix(2)) + [0, 0x11])
        case 12:
            pings += 1
            send(0xD0, [])
        default: break
        }
    }

    private func send(_ header: UInt8, _ body: [UInt8]) {
        guard let peer, !isSilent else { return }
        var (length, bytes) = (body.count, [header])
        while length > 127 {
            bytes.append(UInt8(length & 127 | 128))
            length >>= 7
        }
        bytes += [UInt8(length)] + body
        _ = unsafe Glibc.send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func text(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 255)] + Array(text.utf8)
    }
}
