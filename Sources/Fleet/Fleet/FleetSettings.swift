package import Configuration
internal import SensorValues
package import Spool

/// All settings of the program, valid as a whole.
package struct FleetSettings: Equatable, Sendable {
    package var server: ServerAddress?
    /// The client's certificate: a path, or the name of a credential.
    package var certificate: String?
    package var key: String?
    /// The certificates of those who may sign the server's.
    package var authority: String?
    package var user: String?
    package var passwordFile: String?
    /// The version of MQTT; nil: 5, or 3.1.1 if the server speaks only that.
    package var version: ProtocolVersion?
    package var prefix = "fleet"
    /// The second part: `%m` is the host's machine id, `%H` its name.
    package var host = "%m"
    /// What is sent, in the order of the files.
    package var readings: [WantedReading] = []
    package var maximumBytes = 512 << 20
    /// How long what has not arrived is kept.
    package var maximumAge = TimeSpan(nanoseconds: 7 * 86_400_000_000_000)
    /// How often the spool is written down for good.
    package var sync = TimeSpan(nanoseconds: 5_000_000_000)
    /// How long what has arrived is kept.
    package var keepAcknowledged = TimeSpan(nanoseconds: 3_600_000_000_000)
    /// How fast what is left from before is sent, in recorded time for real time; nil: no bound.
    package var backlogSpeed: Double? = 10
    package var order = Order.live
    /// How many bytes may leave in a day; nil: any.
    package var dailyBytes: Int?
    /// When what is left from before may leave; nil: always.
    package var backlogCondition: PathCondition?
    /// How often messages leave together; nil: as they come.
    package var bundle: TimeSpan?
    /// Whether messages of the server may change intervals.
    package var allowsRemoteInterval = false
    /// The shortest interval that they may set; nil: that of the resource.
    package var minimumInterval: TimeSpan?
    /// The first part of the topics on which Home Assistant listens; nil: nothing is sent to it.
    package var homeAssistant: String?
    /// The topic of locations for OwnTracks, with `%m` and `%H`; nil: there is none.
    package var ownTracks: String?

    package init() {}
}

/// Where a server is.
package struct ServerAddress: Equatable, Sendable, CustomStringConvertible {
    package let isEncrypted: Bool
    package let host: String
    package let port: UInt16

    /// Parses `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`.
    package init(parsing text: String) throws(SettingRefusal) {
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
    package var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "mqtt\(isEncrypted ? "s" : "")://\(host):\(port)"
    }
}

/// Whether there is a file or a folder, as in a unit's `ConditionPathExists=`. systemd.unit(5)
package struct PathCondition: Equatable, Sendable {
    package let path: String
    /// Whether it has to be there; else it must not be.
    package let isPresent: Bool

    /// Parses a path, with `!` before it if it must not be there.
    package init(parsing text: String) throws(SettingRefusal) {
        isPresent = !text.hasPrefix("!")
        path = String(text.drop { $0 == "!" })
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw SettingRefusal("write a whole path, such as /run/unmetered, or !/run/metered")
        }
    }

    /// As in a file.
    package var text: String { isPresent ? path : "!\(path)" }
}

/// A version of MQTT.
package enum ProtocolVersion: String, CaseIterable, Sendable {
    /// The server reports why it does not take a message.
    case five = "5"
    /// The server cannot report that it does not take a message: what it denies counts as arrived.
    case three = "3.1.1"
}

/// A resource whose readings are sent, and how often.
package struct WantedReading: Equatable, Sendable {
    package let resource: String
    /// The interval of readings; 0: every sample.
    package let interval: TimeSpan
    /// How long readings are gathered.
    package let batch: TimeSpan?
    /// Whether a reading is the mean of its interval.
    package let isMean: Bool

    /// What outlives what when the spool is full.
    package let priority: Priority
    /// The most that it takes of the spool, in percent; nil: as much as there is.
    package let quotaPercent: Int?

    /// Parses `INTERVAL [batch TIME] [mean] [priority low|normal|high] [quota PERCENT%]`, of which the last three have any order.
    package init(resource: String, parsing text: String) throws(SettingRefusal) {
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
    package var text: String {
        var words = ["\(interval)"]
        if let batch { words.append("batch \(batch)") }
        if isMean { words.append("mean") }
        if priority != .normal { words.append("priority \(priority.rawValue)") }
        if let quotaPercent { words.append("quota \(quotaPercent)%") }
        return words.joined(separator: " ")
    }

    /// What the spool has to know of it.
    package var spooled: SpoolStream { SpoolStream(resource, priority: priority, percent: quotaPercent) }

    /// Whether a text may be the name of a resource: it becomes a part of topics.
    package static func isResource(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLowerCaseLetter || $0.isDigit || $0 == UInt8(ascii: ":") }
    }
}
