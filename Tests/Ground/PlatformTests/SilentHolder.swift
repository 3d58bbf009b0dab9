import Glibc
import Testing

/// A process's socket with an abstract name that accepts no connections and whose backlog is full.
final class SilentHolder {
    private var numbers: [Int32] = []

    init(_ name: String) throws {
        let listener = Self.socket(nonBlocking: false)
        numbers.append(listener)
        let bound = unsafe Self.withAddress(name) { unsafe bind(listener, $0, $1) }
        try #require(bound == 0 && listen(listener, 0) == 0)
        while true {
            let number = Self.socket(nonBlocking: true)
            numbers.append(number)
            let connected = unsafe Self.withAddress(name) { unsafe connect(number, $0, $1) }
            if connected != 0 { break }
        }
        try #require(errno == EAGAIN)
    }

    /// Makes it belong to another user. `fchown(2)`
    func give(to user: UInt32) throws { try #require(fchown(numbers[0], user, gid_t.max) == 0) }

    func end() {
        for number in numbers { close(number) }
        numbers = []
    }

    deinit { end() }

    private static func socket(nonBlocking: Bool) -> Int32 {
        Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)), 0)
    }

    private static func withAddress(_ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0[1...].copyBytes(from: Array(name.utf8)) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, size) }
        }
    }
}
