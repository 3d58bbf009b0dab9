internal import CLinux
internal import Glibc

/// Functions on a `sockaddr`, the kernel's form of an address.
enum SocketAddress {
    /// The numeric address, with its interface if it has one. `getnameinfo(3)`
    static func numbers(_ bytes: [UInt8]) -> String? {
        var text = [CChar](repeating: 0, count: 80)
        let code = unsafe withPointer(bytes) { unsafe getnameinfo($0, $1, &text, 80, nil, 0, NI_NUMERICHOST) }
        guard code == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The same address with another port, which is at the same place in IPv4 and IPv6; nil for other families.
    /// `ip(7)`, `ipv6(7)`
    static func with(port: UInt16, _ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 4, [AF_INET, AF_INET6].contains(family(bytes)) else { return nil }
        var bytes = bytes
        bytes[2] = UInt8(port >> 8)
        bytes[3] = UInt8(port & 0xff)
        return bytes
    }

    /// The source address that this host would use towards it. `connect(2)` of a datagram socket, which sends nothing
    static func source(towards bytes: [UInt8]) -> String? {
        let socket = Descriptor(owning: clinux_datagram_socket(family(bytes)))
        guard socket.number >= 0 else { return nil }
        guard unsafe withPointer(bytes, { unsafe connect(socket.number, $0, $1) }) == 0 else { return nil }
        var own = [UInt8](repeating: 0, count: 128)
        var size = socklen_t(own.count)
        let code = unsafe own.withUnsafeMutableBytes { bytes in
            unsafe getsockname(socket.number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return code == 0 ? numbers(Array(own.prefix(Int(size)))) : nil
    }

    /// Creates a stream socket and starts to connect it. `socket(2)`, `connect(2)`
    static func beginToConnect(_ bytes: [UInt8]) throws(SystemError) -> Descriptor {
        let socket = Descriptor(owning: clinux_network_socket(family(bytes)))
        guard socket.number >= 0 else { throw .current("socket") }
        guard unsafe withPointer(bytes, { unsafe connect(socket.number, $0, $1) }) == 0 || clinux_errno() == EINPROGRESS
        else {
            throw .current("connect")
        }
        return socket
    }

    private static func family(_ bytes: [UInt8]) -> Int32 {
        bytes.count < 2 ? AF_UNSPEC : Int32(UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
    }

    private static func withPointer(
        _ bytes: [UInt8], _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) -> Int32 {
        unsafe bytes.withUnsafeBytes {
            unsafe body($0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
    }
}
