public import Configuration
internal import SensorValues
public import Spool

/// All settings of the program, valid as a whole.
public struct FleetSettings: Equatable, Sendable {
    /// Where the server is; nil if no file has it.
    public var server: ServerAddress?
    /// The client's certificate: a path, or the name of a credential.
    public var certificate: String?
    /// The key of the client's certificate.
    public var key: String?
    /// The certificates of those who may sign the server's.
    public var authority: String?
    /// The user's name.
    public var user: String?
    /// The file with the user's password.
    public var passwordFile: String?
    /// The version of MQTT; nil: 5, or 3.1.1 if the server speaks only that.
    public var version: ProtocolVersion?
    /// The first part of all topics.
    public var prefix = "fleet"
    /// The second part: `%m` is the host's machine id, `%H` its name.
    public var host = "%m"
    /// What is sent, in the order of the files.
    public var readings: [WantedReading] = []
    /// How much the spool keeps.
    public var maximumBytes = 512 << 20
    /// How long what has not arrived is kept.
    public var maximumAge = TimeSpan(nanoseconds: 7 * 86_400_000_000_000)
    /// How often the spool is written down for good.
    public var sync = TimeSpan(nanoseconds: 5_000_000_000)
    /// How long what has arrived is kept.
    public var keepAcknowledged = TimeSpan(nanoseconds: 3_600_000_000_000)
    /// How fast what is left from before is sent, in recorded time for real time; nil: no bound.
    public var backlogSpeed: Double? = 10
    /// The order in which messages leave.
    public var order = Order.live
    /// How many bytes may leave in a day; nil: any.
    public var dailyBytes: Int?
    /// When what is left from before may leave; nil: always.
    public var backlogCondition: PathCondition?
    /// How often messages leave together; nil: as they come.
    public var bundle: TimeSpan?
    /// Whether messages of the server may change intervals.
    public var allowsRemoteInterval = false
    /// The shortest interval that they may set; nil: that of the resource.
    public var minimumInterval: TimeSpan?
    /// The first part of the topics on which Home Assistant listens; nil: nothing is sent to it.
    public var homeAssistant: String?
    /// The topic of locations for OwnTracks, with `%m` and `%H`; nil: there is none.
    public var ownTracks: String?

    /// The defaults.
    public init() {}
}

/// Where a server is.
public struct ServerAddress: Equatable, Sendable, CustomStringConvertible {
    /// Whether the connection is encrypted.
    public let isEncrypted: Bool
    /// The host's name or address.
    public let host: String
    /// The port.
    public let port: UInt16

    /// Parses `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`.
    public init(parsing text: String) throws(SettingRefusal) {
        let advice = "write it like mqtts://broker.example or mqtt://192.168.1.2:1883"
        let schemes = [("mqtts://", true, UInt16(8883)), ("mqtt://", false, UInt16(1883))]
        guard let (scheme, isEncrypted, usual) = schemes.first(where: { text.lowercased().hasPrefix($0.0) }) else {
            throw SettingRefusal("there is neither mqtts:// nor mqtt:// before it: \(advice)")
        }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.contains("@") else {
            throw SettingRefusal("write the name with User=, the password's file with PasswordFile=")
        }
        var portText: Substring?
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            let after = rest[rest.index(after: end)...]
            if !after.isEmpty { portText = after.hasPrefix(":") ? after.dropFirst() : "" }
            rest = rest[rest.index(after: rest.startIndex)..<end]
        } else if let colon = rest.lastIndex(of: ":") {
            portText = rest[rest.index(after: colon)...]
            rest = rest[..<colon]
        }
        let isPlain = rest.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
        }
        guard !rest.isEmpty, isPlain else { throw SettingRefusal("there is no host in it: \(advice)") }
        let port = portText.map { UInt16($0) } ?? usual
        guard let port, port > 0 else { throw SettingRefusal("a port is a number from 1 to 65535: \(advice)") }
        (self.isEncrypted, host, self.port) = (isEncrypted, String(rest), port)
    }

    /// The address as in a file.
    public var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "mqtt\(isEncrypted ? "s" : "")://\(host):\(port)"
    }
}

/// Whether there is a file or a folder, as in a unit's `ConditionPathExists=`. systemd.unit(5)
public struct PathCondition: Equatable, Sendable {
    /// The whole path.
    public let path: String
    /// Whether it has to be there; else it must not be.
    public let isPresent: Bool

    /// Parses a path, with `!` before it if it must not be there.
    public init(parsing text: String) throws(SettingRefusal) {
        isPresent = !text.hasPrefix("!")
        path = String(text.drop { $0 == "!" })
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw SettingRefusal("write a whole path, such as /run/unmetered, or !/run/metered")
        }
    }

    /// As in a file.
    public var text: String { isPresent ? path : "!\(path)" }
}

/// A version of MQTT.
public enum ProtocolVersion: String, CaseIterable, Sendable {
    /// The server reports why it does not take a message.
    case five = "5"
    /// The server cannot report that it does not take a message: what it denies counts as arrived.
    case three = "3.1.1"
}

/// A resource whose readings are sent, and how often.
public struct WantedReading: Equatable, Sendable {
    /// The resource.
    public let resource: String
    /// The interval of readings; 0: every sample.
    public let interval: TimeSpan
    /// How long readings are gathered.
    public let batch: TimeSpan?
    /// Whether a reading is the mean of its interval.
    public let isMean: Bool

    /// What outlives what when the spool is full.
    public let priority: Priority
    /// The most that it takes of the spool, in percent; nil: as much as there is.
    public let quotaPercent: Int?

    /// Parses `INTERVAL [batch TIME] [mean] [priority low|normal|high] [quota PERCENT%]`, of which the last three have any order.
    public init(resource: String, parsing text: String) throws(SettingRefusal) {
        var words = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
        guard Self.isResource(resource) else {
            throw SettingRefusal("that is no name of a resource; those of this host: sensorctl list")
        }
        var (isMean, priority, quota) = (false, Priority.normal, Int?.none)
        while true {
            if words.last == "mean" {
                isMean = true
                words.removeLast()
            } else if words.count > 2, words[words.count - 2] == "priority" {
                priority = try Self.priority(words.removeLast())
                words.removeLast()
            } else if words.count > 2, words[words.count - 2] == "quota" {
                quota = try Self.percent(words.removeLast())
                words.removeLast()
            } else {
                break
            }
        }
        (self.isMean, self.priority, quotaPercent) = (isMean, priority, quota)
        var batch: TimeSpan?
        if let index = words.firstIndex(of: "batch") {
            do throws(TimeSpanError) {
                batch = try TimeSpan(parsing: words[(index + 1)...].joined(separator: " "))
            } catch { throw SettingRefusal("batch: \(error)") }
            words.removeSubrange(index...)
        }
        do throws(TimeSpanError) {
            interval = try TimeSpan(parsingInterval: words.joined(separator: " "))
        } catch { throw SettingRefusal("\(error); then perhaps: batch 1s, mean, priority high, and quota 20%") }
        guard batch != .infinity else { throw SettingRefusal("batch: readings cannot be gathered for ever") }
        (self.resource, self.batch) = (resource, batch)
    }

    private static func priority(_ word: String) throws(SettingRefusal) -> Priority {
        guard let priority = Priority(rawValue: word) else {
            throw SettingRefusal("priority: write \(Priority.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return priority
    }

    private static func percent(_ word: String) throws(SettingRefusal) -> Int {
        guard word.hasSuffix("%"), let percent = Int(word.dropLast()), (1...100).contains(percent) else {
            throw SettingRefusal("quota: write a share of the spool from 1% to 100%")
        }
        return percent
    }

    /// The value as in a file.
    public var text: String {
        var words = ["\(interval)"]
        if let batch { words.append("batch \(batch)") }
        if isMean { words.append("mean") }
        if priority != .normal { words.append("priority \(priority.rawValue)") }
        if let quotaPercent { words.append("quota \(quotaPercent)%") }
        return words.joined(separator: " ")
    }

    /// What the spool has to know of it.
    public var spooled: SpoolStream { SpoolStream(resource, priority: priority, percent: quotaPercent) }

    /// Whether a text may be the name of a resource: it becomes a part of topics.
    public static func isResource(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLowerCaseLetter || $0.isDigit || $0 == UInt8(ascii: ":") }
    }
}
