public import Configuration

extension FleetSettings: ConfigurableSettings {
    typealias Key = SettingKey<Self>

    /// The section whose keys are the names of resources.
    private static let readings = "Readings"

    /// All keys, in the order of the documentation.
    public static let table = SettingTable(
        keys,
        named: .init(readings, entries: { $0.readings.map { ($0.resource, $0.text) } }) {
            (entry, settings) throws(SettingRefusal) in
            settings.readings.removeAll { $0.resource == entry.key }
            guard !entry.value.isEmpty else { return }
            settings.readings.append(try WantedReading(resource: entry.key, parsing: entry.value))
        }, before: "Spool")

    private static let keys: [Key] = [
        Key("Server", "Url", \.server, text: { $0?.description ?? "" }) {
            (text) throws(SettingRefusal) in try ServerAddress(parsing: text)
        },
        file("Certificate", \.certificate), file("Key", \.key), file("Authority", \.authority),
        Key("Server", "User", \.user, text: { $0 ?? "" }) { (text) throws(SettingRefusal) in text },
        file("PasswordFile", \.passwordFile),
        Key("Server", "Version", \.version, text: { $0?.rawValue ?? "" }) {
            (text) throws(SettingRefusal) in try oneOf(ProtocolVersion.allCases, text)
        },
        Key("Topics", "Prefix", \.prefix, text: { $0 }) { (text) throws(SettingRefusal) in
            try topic(text, levels: true)
        },
        Key("Topics", "Host", \.host, text: { $0 }) { (text) throws(SettingRefusal) in try topic(text, levels: false)
        },
        Key("Spool", "MaxBytes", \.maximumBytes, text: ByteCount.text) {
            (text) throws(SettingRefusal) in try ByteCount.parse(text, from: 64 << 10)
        },
        Key("Spool", "MaxAgeSec", \.maximumAge, text: \.description) {
            (text) throws(SettingRefusal) in try span(text, from: 1_000_000_000)
        },
        Key("Spool", "SyncSec", \.sync, text: \.description) {
            (text) throws(SettingRefusal) in
            let span = try span(text, from: 100_000_000)
            guard span != .infinity else {
                throw SettingRefusal("it has to be finite: all after the last sync is lost in a power cut")
            }
            return span
        },
        Key("Spool", "KeepAcknowledgedSec", \.keepAcknowledged, text: \.description) {
            (text) throws(SettingRefusal) in try span(text, from: 0)
        },
        Key(
            "Spool", "BacklogSpeed", \.backlogSpeed,
            text: { $0.map { $0 == $0.rounded() ? String("\($0)".dropLast(2)) : "\($0)" } ?? "max" }
        ) { (text) throws(SettingRefusal) in
            if text == "max" { return nil }
            guard let speed = Double(text), speed >= 1, speed <= 1e6 else {
                throw SettingRefusal("write how many times faster than it was measured, from 1 to 1000000, or max")
            }
            return speed
        },
        Key("Spool", "Order", \.order, text: \.rawValue) {
            (text) throws(SettingRefusal) in try oneOf(Order.allCases, text)
        },
        Key("Link", "DailyBytes", \.dailyBytes, text: { $0.map(ByteCount.text) ?? "" }) {
            (text) throws(SettingRefusal) in try ByteCount.parse(text, from: 64 << 10)
        },
        Key("Link", "BacklogWhenExists", \.backlogCondition, text: { $0?.text ?? "" }) {
            (text) throws(SettingRefusal) in try PathCondition(parsing: text)
        },
        Key("Link", "BundleSec", \.bundle, text: { $0?.description ?? "" }) {
            (text) throws(SettingRefusal) in
            let span = try span(text, from: 1_000_000_000)
            guard span.nanoseconds <= 30_000_000_000 else {
                throw SettingRefusal("write at most 30s: the status tells consumers the newest numbers each 30 s")
            }
            return span
        },
        Key("Control", "RemoteInterval", \.allowsRemoteInterval, text: { $0 ? "yes" : "no" }) {
            (text) throws(SettingRefusal) in try bool(text)
        },
        Key("Control", "MinInterval", \.minimumInterval, text: { $0?.description ?? "" }) {
            (text) throws(SettingRefusal) in
            do throws(TimeSpanError) { return try TimeSpan(parsingInterval: text) } catch {
                throw SettingRefusal(error.description)
            }
        },
        Key("HomeAssistant", "Discovery", \.homeAssistant, text: { $0 ?? "" }) { (text) throws(SettingRefusal) in
            try topic(text, levels: true)
        },
        Key("OwnTracks", "Topic", \.ownTracks, text: { $0 ?? "" }) { (text) throws(SettingRefusal) in
            let topic = try topic(text, levels: true)
            guard topic.split(separator: "/").count == 3 else {
                throw SettingRefusal("OwnTracks needs three levels, such as owntracks/fleet/%m")
            }
            return topic
        },
    ]

    /// As systemd has them. systemd.syntax(7)
    private static func bool(_ text: String) throws(SettingRefusal) -> Bool {
        switch text.lowercased() {
        case "yes", "true", "on", "1": return true
        case "no", "false", "off", "0": return false
        default: throw SettingRefusal("write yes or no")
        }
    }

    private static func file(_ name: String, _ path: any WritableKeyPath<FleetSettings, String?> & Sendable) -> Key {
        Key("Server", name, path, text: { $0 ?? "" }) { (text) throws(SettingRefusal) in
            guard text.hasPrefix("/") || !text.contains("/") else {
                throw SettingRefusal("write a whole path, or the name of a credential of the unit (LoadCredential=)")
            }
            return text
        }
    }

    private static func oneOf<Value: RawRepresentable<String>>(
        _ values: [Value], _ text: String
    ) throws(SettingRefusal) -> Value {
        guard let value = Value(rawValue: text) else {
            throw SettingRefusal("write \(values.map(\.rawValue).joined(separator: " or "))")
        }
        return value
    }

    private static func topic(_ text: String, levels: Bool) throws(SettingRefusal) -> String {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = text.utf8.allSatisfy {
            $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "#")
        }
        guard isPlain, parts.allSatisfy({ !$0.isEmpty }), levels || parts.count == 1, !text.hasPrefix("$"),
            text.utf8.count <= 128
        else {
            throw SettingRefusal(
                "it is a part of topics: no spaces, no '+', '#'\(levels ? ", no empty level" : " or '/'"), at most 128 bytes"
            )
        }
        return text
    }

    private static func span(_ text: String, from least: Int64) throws(SettingRefusal) -> TimeSpan {
        let span: TimeSpan
        do throws(TimeSpanError) { span = try TimeSpan(parsing: text) } catch {
            throw SettingRefusal(error.description)
        }
        guard span.nanoseconds >= least else { throw SettingRefusal("write at least \(TimeSpan(nanoseconds: least))") }
        return span
    }
}

/// Numbers of bytes as systemd writes them: `512M`, to the base 1024.
enum ByteCount {
    private static let units: [(name: String, bytes: Int)] = [
        ("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
    ]

    static func parse(_ text: String, from least: Int) throws(SettingRefusal) -> Int {
        let unit = units.first { text.hasSuffix($0.name) }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = Int(digits), number > 0, number <= (1 << 50) / (unit?.bytes ?? 1) else {
            throw SettingRefusal("write a number of bytes like 64M or 2G")
        }
        let bytes = number * (unit?.bytes ?? 1)
        guard bytes >= least else { throw SettingRefusal("write at least \(self.text(least))") }
        return bytes
    }

    static func text(_ bytes: Int) -> String {
        guard let unit = units.first(where: { bytes % $0.bytes == 0 && bytes > 0 }) else { return "\(bytes)" }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
