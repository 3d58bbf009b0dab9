internal import CLinux
internal import Glibc
internal import Platform

/// A TCP service that the configuration names, looked at from here: where it is, and what it says.
struct ServiceSurvey {
    private let host: String
    private let endpoints: [TCPEndpoint]

    /// How long it may take to answer.
    private static let patienceNanoseconds: Int64 = 3_000_000_000
    private static let most = 1 << 16

    /// Looks up `HOST`, `HOST:PORT`, `[HOST]` or `[HOST]:PORT`.
    init(_ place: String, port usual: UInt16) {
        let port: UInt16
        (host, port) = Self.parts(of: place, port: usual)
        endpoints =
            (try? TCPEndpoint.resolve(host, port: port, withinNanoseconds: TCPEndpoint.patienceNanoseconds)) ?? []
    }

    /// Host and port; more than one colon without brackets is a bare IPv6 address.
    static func parts(of place: String, port: UInt16) -> (host: String, port: UInt16) {
        if place.hasPrefix("["), let end = place.firstIndex(of: "]") {
            let rest = place[place.index(after: end)...]
            return (String(place[..<end].dropFirst()), UInt16(rest.dropFirst()) ?? port)
        }
        guard let colon = place.firstIndex(of: ":"), colon == place.lastIndex(of: ":") else { return (place, port) }
        return (String(place[..<colon]), UInt16(place[place.index(after: colon)...]) ?? port)
    }

    /// Where it is.
    var place: PlaceView {
        if endpoints.isEmpty { return .unknown }
        if endpoints.allSatisfy(\.isNear) { return .here }
        return .elsewhere(outside: endpoints.first { !$0.isPrivate }?.host)
    }

    /// What it answers, until that is whole, it ends or time runs out; nothing where it keeps silent.
    func ask(_ question: String, until isWhole: (String) -> Bool) throws(Silence) -> String {
        guard !endpoints.isEmpty else { throw .other("the host \(host) is not known") }
        do throws(SystemError) {
            let connection = try TCPConnection(to: endpoints, withinNanoseconds: Self.patienceNanoseconds)
            return Self.talk(connection, question, isWhole)
        } catch { throw error.code == ECONNREFUSED ? .refused : .other(SystemError.words(for: error.code)) }
    }

    private static func talk(
        _ connection: consuming TCPConnection, _ question: String, _ isWhole: (String) -> Bool
    ) -> String {
        let bytes = Array(question.utf8)
        _ = unsafe clinux_send(connection.number, bytes, bytes.count)
        let deadline = Clock.bootNanoseconds() + patienceNanoseconds
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while answer.count < most {
            let left = deadline - Clock.bootNanoseconds()
            guard left > 0, Wait.untilReadable(connection.number, nanoseconds: left).first else { break }
            let count = unsafe clinux_receive(connection.number, &chunk, chunk.count)
            guard count > 0 else { break }
            answer += chunk[..<count]
            if isWhole(String(decoding: answer, as: UTF8.self)) { break }
        }
        return String(decoding: answer, as: UTF8.self)
    }
}
