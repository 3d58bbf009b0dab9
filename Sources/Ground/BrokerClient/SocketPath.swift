internal import CLinux
public import Platform
internal import Readings

/// The paths of the broker's sockets.
///
/// Each named instance of the broker has its own sockets in the same directory, with its name as a suffix.
public enum SocketPath {
    private static let broker = "io.sensorbroker.Broker"
    private static let admin = "io.sensorbroker.Admin"
    private static let feed = "io.sensorbroker.Feed"

    /// The candidates for the broker's socket, in order: the given path, or else those in the host's and the user's
    /// runtime directories.
    public static func candidates(
        named: String?, instance: String? = nil, userRuntimeDirectory: String?
    ) -> [String] {
        if let named { return [named] }
        let directories = ["/run"] + (userRuntimeDirectory.map { [$0] } ?? [])
        let suffix = instance.map { ".\($0)" } ?? ""
        return directories.map { "\($0)/sensorbroker/\(broker)\(suffix)" }
    }

    /// Connects to the first of some sockets at which somebody accepts.
    ///
    /// If nobody does, the first that refuses is thrown: it shows more than those that are not there.
    public static func connect<Connection: ~Copyable>(
        firstOf paths: [String], by dial: (_ path: String) throws(SystemError) -> Connection
    ) throws(ConnectRefusal) -> Connection {
        var refusal: ConnectRefusal?
        for path in paths {
            do throws(SystemError) { return try dial(path) } catch {
                if error.code != ENOENT { refusal = refusal ?? ConnectRefusal(path: path, error: error) }
            }
        }
        throw refusal
            ?? ConnectRefusal(path: paths.joined(separator: " or "), error: SystemError("connect", code: ENOENT))
    }

    /// How long a call goes on looking while nothing listens at any of them: the broker may have been started a moment ago.
    ///
    /// Longer where the socket was named, since then there should be one; a host without a broker is to be found out
    /// soon.
    public static func patienceNanoseconds(isNamed: Bool) -> Int64 { isNamed ? 1_000_000_000 : 250_000_000 }

    /// The time between two looks.
    public static let pauseNanoseconds: Int64 = 10_000_000

    /// The administrator's socket of the same instance, in the same directory.
    ///
    /// The path of an administrator's socket is returned unchanged. Nil if the file has none of the names, because a guess
    /// could lead to another broker.
    public static func admin(besideBroker path: String) -> String? { socket(admin, beside: path) }

    /// The socket of the same instance for programs that are sensors; likewise.
    public static func feed(besideBroker path: String) -> String? { socket(feed, beside: path) }

    private static func socket(_ wanted: String, beside path: String) -> String? {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let name = path[start...]
        for known in [broker, admin, feed] where name.hasPrefix(known) {
            let suffix = name.dropFirst(known.count)
            if suffix.isEmpty || suffix.hasPrefix(".") { return path[..<start] + wanted + suffix }
        }
        return nil
    }

    /// The directory in which a broker of an instance makes a socket of this path; nil if it makes none.
    public static func directory(ofSocket path: String, instance: String?) -> String? {
        let suffix = instance.map { ".\($0)" } ?? ""
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex,
            [broker, admin, feed].contains(where: { path[slash...] == "/\($0)\(suffix)" })
        else { return nil }
        return String(path[..<slash])
    }

    /// The instance of a socket, by the suffix of its name; nil for the first broker, and for other names.
    public static func instance(ofSocket path: String) -> String? {
        let name = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
        for known in [broker, admin, feed] where name.hasPrefix(known + ".") {
            let suffix = String(name.dropFirst(known.count + 1))
            if isInstance(suffix) { return suffix }
        }
        return nil
    }

    /// Whether a text is a valid instance name, which becomes part of file and unit names.
    public static func isInstance(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isLowerCaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
    }
}

/// Why none of several sockets accepts.
public struct ConnectRefusal: Error, Equatable, CustomStringConvertible {
    /// The socket that refuses; all of them if there is none.
    public let path: String
    /// The system's error.
    public let error: SystemError

    /// Whether there is no socket at all.
    public var isAbsence: Bool { error.code == ENOENT }

    /// What happened, in words.
    public var description: String {
        switch error.code {
        case ENOENT: "there is no broker at \(path)"
        // Its backlog is full.
        case EAGAIN: "the broker at \(path) accepts no connection: it is stopped, or hangs"
        default: "\(error)"
        }
    }
}
