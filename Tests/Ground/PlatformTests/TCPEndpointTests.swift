import Foundation
import Testing

@testable import Platform

@Suite("An address of a TCP service") struct TCPEndpointTests {
    private func keys(_ host: String) throws -> [String] {
        try TCPEndpoint.resolve(host, port: 2947, withinNanoseconds: 5_000_000_000).map(\.key)
    }

    @Test(
        "is the same for every way to write this host",
        arguments: [
            "127.0.0.1", "127.1", "0", "0.0.0.0", "127.000.000.001", "127.0.0.2", "2130706433", "0x7f.1", "::1", "::",
            "::ffff:127.0.0.1", "localhost", "LOCALHOST",
        ])
    func thisHost(_ host: String) throws { #expect(Set(try keys(host)) == ["this-host:2947"]) }

    @Test(
        "without one, the user learns why, and what to do about it",
        arguments: [
            (ETIMEDOUT, "the resolver does not answer: try 'getent hosts x.example', or write a numeric address"),
            (ENXIO, "its host is unknown: try 'getent hosts x.example', or write a numeric address"),
            (EMFILE, SystemError("resolve x.example", code: EMFILE).description),
            // No further thread, which is none of the resolver's faults.
            (EAGAIN, SystemError("resolve x.example", code: EAGAIN).description),
        ])
    func noAddress(_ code: Int32, _ words: String) {
        #expect(TCPEndpoint.cure(of: SystemError("resolve x.example", code: code), resolving: "x.example") == words)
    }

    @Test("is this host's for each address that one of its interfaces has")
    func interfaces() throws {
        var list: UnsafeMutablePointer<ifaddrs>?
        try #require(unsafe getifaddrs(&list) == 0)
        defer { unsafe freeifaddrs(list) }
        var checked = 0
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ifa_addr, unsafe address.pointee.sa_family == sa_family_t(AF_INET) {
                let bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: MemoryLayout<sockaddr_in>.size))
                #expect(try keys(try #require(SocketAddress.numbers(bytes))) == ["this-host:2947"])
                checked += 1
            }
            unsafe next = entry.pointee.ifa_next
        }
        #expect(checked > 0)
    }

    @Test("is compared by address if it is another host's")
    func others() throws {
        #expect(try keys("192.0.2.7") == ["192.0.2.7:2947"])
        #expect(try keys("192.0.519") == ["192.0.2.7:2947"])
        #expect(try keys("::ffff:192.0.2.7") == ["192.0.2.7:2947"])
        #expect(try keys("2001:DB8:0:0::7") == ["[2001:db8::7]:2947"])
    }

    @Test("is in a private network or not")
    func privacy() throws {
        func isPrivate(_ host: String) throws -> Bool? {
            try TCPEndpoint.resolve(host, port: 1, withinNanoseconds: 1).first?.isPrivate
        }
        let inside = [
            "10.1.2.3", "172.16.0.1", "172.31.9.9", "192.168.7.7", "169.254.1.1", "100.64.0.1", "100.127.1.1",
            "fd00::1",
            "fe80::1", "::1", "127.0.0.9",
            "0.0.0.0", "::",
        ]
        let outside = ["11.1.2.3", "172.32.0.1", "192.0.2.1", "100.128.0.1", "2001:db8::1", "8.8.8.8", "::7"]
        for host in inside { #expect(try isPrivate(host) == true, "\(host)") }
        for host in outside { #expect(try isPrivate(host) == false, "\(host)") }
        // The unit's list does not know whose address it is.
        #expect(!TCPEndpoint(host: "192.0.2.1", port: 1, isThisHost: true, bytes: []).isPrivate)
        #expect(!TCPEndpoint(host: "192.0.2.1", port: 1, isThisHost: true, bytes: []).isNear)
        #expect(TCPEndpoint(host: "127.0.0.1", port: 1, isThisHost: true, bytes: []).isNear)
    }

    @Test("that no resolver knows is an error")
    func unknown() throws {
        var error: SystemError?
        do throws(SystemError) {
            _ = try TCPEndpoint.resolve("no such host", port: 1, withinNanoseconds: 20_000_000_000)
        } catch let failure { error = failure }
        #expect(error?.call == "look up no such host")
    }

    @Test("is connected to, if an earlier one does not answer")
    func connection() throws {
        let listener = try Listener()
        let silent = try FullListener()
        defer { withExtendedLifetime(silent) {} }
        func endpoint(_ port: UInt16) throws -> [TCPEndpoint] {
            try TCPEndpoint.resolve("127.0.0.1", port: port, withinNanoseconds: 1)
        }
        let connection = try TCPConnection(
            to: try endpoint(silent.port) + endpoint(listener.port), withinNanoseconds: 30_000_000_000)
        #expect(connection.endpoint.port == listener.port)
        // Also where another one is refused meanwhile.
        for endpoints in [try endpoint(silent.port), try endpoint(silent.port) + endpoint(1)] {
            var error: SystemError?
            do throws(SystemError) {
                _ = try TCPConnection(to: endpoints, withinNanoseconds: 600_000_000)
            } catch let failure { error = failure }
            #expect(error?.code == ETIMEDOUT)
        }
    }

    /// With a time-out of an hour: the test would not end if it waited for it.
    @Test("that fails at once is an error at once")
    func failure() throws {
        let broadcast = try TCPEndpoint.resolve("255.255.255.255", port: 1, withinNanoseconds: 1)
        var error: SystemError?
        do throws(SystemError) {
            _ = try TCPConnection(to: broadcast, withinNanoseconds: 3_600_000_000_000)
        } catch let failure { error = failure }
        #expect(error?.call == "connect" && error?.code != ETIMEDOUT)
    }
}

/// A socket that listens on the loopback.
private class Listener {
    let number: Int32
    let port: UInt16

    init(backlog: Int32 = 16) throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = number
        let done = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, size) == 0 && listen(number, backlog) == 0
                    && getsockname(number, $0, &size) == 0
            }
        }
        try #require(done)
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(number) }
}

/// A listener whose queue is full: the kernel drops further connection attempts, as a packet filter does.
private final class FullListener: Listener {
    private var client: TCPConnectionBox?

    init() throws {
        // A queue of length 0 holds one connection.
        try super.init(backlog: 0)
        let endpoints = try TCPEndpoint.resolve("127.0.0.1", port: port, withinNanoseconds: 1)
        client = TCPConnectionBox(try TCPConnection(to: endpoints, withinNanoseconds: 300_000_000_000))
        while try waiting() != 1 { usleep(1_000) }
    }

    /// How many connections wait to be accepted. `proc_net_tcp(5)`
    private func waiting() throws -> Int? {
        let suffix = ":" + String(UInt32(port) + 0x10000, radix: 16, uppercase: true).dropFirst()
        for line in try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 4, fields[1].hasSuffix(suffix), fields[3] == "0A" else { continue }
            return fields[4].split(separator: ":").last.flatMap { Int($0, radix: 16) }
        }
        return nil
    }
}

private final class TCPConnectionBox {
    let connection: TCPConnection
    init(_ connection: consuming TCPConnection) { self.connection = connection }
}
