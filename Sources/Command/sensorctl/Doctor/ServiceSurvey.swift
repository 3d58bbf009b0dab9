internal import BrokerClient
internal import CLinux
internal import Glibc
internal import Platform
internal import Printable

/// A TCP service that the configuration names: where it is, and how it answers this program.
struct ServiceSurvey {
    private let host: String
    private let endpoints: [TCPEndpoint]
    /// Why there are none.
    private let failure: SystemError?

    /// How long it may take to answer.
    private static let patienceNanoseconds: Int64 = 3_000_000_000
    private static let most = 1 << 16

    /// Looks up `HOST`, `HOST:PORT`, `[HOST]` or `[HOST]:PORT`.
    init(_ place: String, port usual: UInt16) {
        let port: UInt16
        (host, port) = Self.parts(of: place, port: usual)
        do throws(SystemError) {
            endpoints = try TCPEndpoint.resolve(host, port: port, withinNanoseconds: TCPEndpoint.patienceNanoseconds)
            failure = nil
        } catch { (endpoints, failure) = ([], error) }
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

    /// The service's answer, until that is complete, the connection ends or time runs out; empty if it hangs up.
    func ask(_ question: String, until isWhole: (String) -> Bool) throws(Silence) -> String {
        if let failure { throw .other(TCPEndpoint.cure(of: failure, resolving: host)) }
        do throws(SystemError) {
            let connection = try TCPConnection(to: endpoints, withinNanoseconds: Self.patienceNanoseconds)
            if let answer = Self.talk(connection, question, isWhole) { return answer }
        } catch { throw Silence(error, at: place) }
        throw .mute
    }

    /// The answer; nil if nothing comes in time.
    private static func talk(
        _ connection: consuming TCPConnection, _ question: String, _ isWhole: (String) -> Bool
    ) -> String? {
        let bytes = Array(question.utf8)
        _ = unsafe clinux_send(connection.number, bytes, bytes.count)
        let deadline = Clock.bootNanoseconds() + patienceNanoseconds
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while answer.count < most {
            let left = deadline - Clock.bootNanoseconds()
            guard left > 0, Wait.untilReadable(connection.number, nanoseconds: left).first else {
                if answer.isEmpty { return nil }
                break
            }
            let count = unsafe clinux_receive(connection.number, &chunk, chunk.count)
            guard count > 0 else { break }
            answer += chunk[..<count]
            if isWhole(String(decoding: answer, as: UTF8.self)) { break }
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

/// The place of a TCP service that the configuration names.
enum PlaceView: Equatable {
    /// On this host, at an address that every program on it can reach.
    case here
    /// On another host, or on this one at a public address; with its first address outside of private networks, if any.
    case elsewhere(outside: String?)
    /// The name of the host cannot be resolved.
    case unknown
}

/// Why a TCP service could not be reached.
enum Silence: Error, Equatable {
    /// The host answers, but no program listens there.
    case refused
    /// It listens and sends nothing: it hangs, or was stopped.
    case mute
    /// Another error, in words.
    case other(String)

    /// Why there is no connection; this host's kernel answers at once, unless the program has long accepted none.
    init(_ error: SystemError, at place: PlaceView) {
        switch error.code {
        case ECONNREFUSED: self = .refused
        case ETIMEDOUT where place == .here: self = .mute
        default: self = .other(SystemError.words(for: error.code))
        }
    }

    var words: String {
        switch self {
        case .refused: "no program listens there"
        case .mute: "it listens there and sends nothing"
        case .other(let words): words.printable
        }
    }
}

/// A TCP service that the broker uses, as this program finds it.
struct ServiceView: Equatable {
    enum Answer: Equatable {
        /// It is what it should be; a gpsd has so many receivers.
        case answers(receivers: Int? = nil)
        /// It could not be connected to.
        case unreachable(Silence)
        /// Another program answers.
        case stranger
    }

    /// Where it is, as the configuration or the broker has it.
    var address: String
    var place = PlaceView.here
    var answer: Answer
}

extension ServiceView {
    /// Asks it a question; `read` judges the answer.
    fileprivate init(
        _ address: String, _ service: ServiceSurvey, _ question: String, until isWhole: (String) -> Bool,
        read: (String) -> Answer
    ) {
        self.init(address: address, place: service.place, answer: .stranger)
        do throws(Silence) { answer = read(try service.ask(question, until: isWhole)) } catch {
            answer = .unreachable(error)
        }
    }
}

/// A gpsd at an address, asked for its receivers.
enum GpsdSurvey {
    static func view(at address: String) -> ServiceView {
        ServiceView(
            address, ServiceSurvey(address, port: 2_947), "?DEVICES;\n",
            until: { $0.utf8.last == UInt8(ascii: "\n") && $0.contains(#""class":"DEVICES""#) }, read: receivers)
    }

    /// The address at which the broker finds none: it may have been started with another one than the configuration has.
    static func address(missedBy resources: [Resource]) -> String? {
        let words = "no gpsd at "
        let missed = resources.first { $0.state == "unavailable" && $0.reason?.hasPrefix(words) == true }
        return missed?.reason?.dropFirst(words.count).split(separator: " ").first.map { address in
            String(address.last == ":" ? address.dropLast() : address)
        }
    }

    /// Reads its answer: the reply to `?DEVICES;` is a line with a path for each receiver.
    static func receivers(in text: String) -> ServiceView.Answer {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.contains(where: { $0.contains(#""class":"VERSION""#) }) else { return .stranger }
        let devices = lines.first { $0.contains(#""class":"DEVICES""#) } ?? ""
        return .answers(
            receivers: devices.split(separator: #""path":"#, omittingEmptySubsequences: false).count - 1)
    }
}

/// An iiod in a context `ip:HOST`, asked for its version.
enum IiodSurvey {
    static func view(at context: String) -> ServiceView {
        ServiceView(
            context, ServiceSurvey(String(context.dropFirst("ip:".count)), port: 30_431), "VERSION\r\n",
            until: { $0.utf8.last == UInt8(ascii: "\n") }, read: version)
    }

    /// Reads its answer: the reply to `VERSION` is a line like `0.24.c4498c2`.
    static func version(in text: String) -> ServiceView.Answer {
        let parts = text.split(separator: ".", maxSplits: 2)
        return parts.count == 3 && parts[..<2].allSatisfy { UInt16($0) != nil } ? .answers() : .stranger
    }
}
