import Glibc

/// TCP on 127.0.0.1.
enum Loopback {
    struct Failure: Error { var call: String, code: Int32 }

    /// A listening socket and its port.
    static func listen(port: UInt16 = 0, backlog: Int32 = 8) throws -> (listener: Int32, port: UInt16) {
        let listener = try check("socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var yes: Int32 = 1
        _ = try check("reuse", unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4))
        var address = self.address(port)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try unsafe withUnsafeMutablePointer(to: &address) {
            try unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = try check("bind", unsafe bind(listener, $0, size))
                _ = try check("listen", Glibc.listen(listener, backlog))
                _ = try check("getsockname", unsafe getsockname(listener, $0, &size))
            }
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// A port on which nobody listens, for a program that must be given one.
    static func freePort() throws -> UInt16 {
        let (listener, port) = try listen()
        close(listener)
        return port
    }

    /// A connected socket.
    static func connect(port: UInt16) throws -> Int32 {
        let connection = try check("socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = self.address(port)
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 {
            let code = errno
            close(connection)
            throw Failure(call: "connect", code: code)
        }
        return connection
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func check(_ call: String, _ result: Int32) throws -> Int32 {
        if result < 0 { throw Failure(call: call, code: errno) }
        return result
    }
}
