internal import CLinux
internal import Glibc
internal import Platform

/// A gpsd at a place, asked for its receivers.
enum GpsdSurvey {
    /// How long it may take to answer.
    private static let patienceNanoseconds: Int64 = 3_000_000_000

    static func view(at place: String) -> GpsdView {
        let (host, port) = parts(of: place)
        do throws(SystemError) {
            return receivers(in: try ask(host, port))
        } catch { return .unreachable(SystemError.words(for: error.code)) }
    }

    /// Host and port of `HOST:PORT` or `[HOST]:PORT`.
    static func parts(of place: String) -> (host: String, port: String) {
        guard let colon = place.lastIndex(of: ":") else { return (place, "2947") }
        let host = place[..<colon].drop { $0 == "[" }
        return (String(host.hasSuffix("]") ? host.dropLast() : host), String(place[place.index(after: colon)...]))
    }

    /// What its words mean: `?DEVICES;` is answered by a line with a path for each receiver.
    static func receivers(in text: String) -> GpsdView {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.contains(where: { $0.contains(#""class":"VERSION""#) }) else { return .stranger }
        let devices = lines.first { $0.contains(#""class":"DEVICES""#) } ?? ""
        return .receivers(devices.split(separator: #""path":"#, omittingEmptySubsequences: false).count - 1)
    }

    /// What it says when asked for its receivers. `getaddrinfo(3)`, `connect(2)`
    private static func ask(_ host: String, _ port: String) throws(SystemError) -> String {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, port, &hints, &found) == 0 else {
            throw SystemError("getaddrinfo", code: EHOSTUNREACH)
        }
        defer { unsafe freeaddrinfo(found) }
        var failure = SystemError("connect", code: EHOSTUNREACH)
        var next = unsafe found
        while let address = unsafe next {
            let socket = Descriptor(
                owning: unsafe socket(
                    address.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
            limit(socket.number)
            if unsafe connect(socket.number, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 {
                return talk(socket.number)
            }
            failure = .current("connect")
            unsafe next = address.pointee.ai_next
        }
        throw failure
    }

    private static func limit(_ socket: Int32) {
        var time = timeval(tv_sec: 3, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            unsafe setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private static func talk(_ socket: Int32) -> String {
        let question = Array("?DEVICES;\n".utf8)
        _ = unsafe clinux_send_blocking(socket, question, question.count)
        let deadline = BootClock.after(patienceNanoseconds)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < 1 << 16, Clock.bootNanoseconds() < deadline {
            let count = unsafe recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            bytes += chunk[..<count]
            if String(decoding: bytes, as: UTF8.self).contains(#""class":"DEVICES""#), bytes.last == UInt8(ascii: "\n")
            {
                break
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
