internal import Configuration

/// A `Key=` of the configuration: its section, its values, and what it sets.
///
/// Every key has an effect.
struct FleetKey: Sendable {
    let section: String
    let name: String
    let set: @Sendable (String, inout FleetSettings) throws(FleetRefusal) -> Void
    let text: @Sendable (FleetSettings) -> String

    /// A key for a part of the settings; an empty value restores the default.
    init<Value: Sendable>(
        _ section: String, _ name: String, _ path: any WritableKeyPath<FleetSettings, Value> & Sendable,
        text: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) throws(FleetRefusal) -> Value
    ) {
        self.section = section
        self.name = name
        self.text = { text($0[keyPath: path]) }
        set = { (value, settings) throws(FleetRefusal) in
            settings[keyPath: path] = value.isEmpty ? FleetSettings()[keyPath: path] : try parse(value)
        }
    }

    var title: String { "[\(section)] \(name)=" }

    /// The section whose keys are the names of resources.
    static let readings = "Readings"

    static let sections = ["Server", "Topics", readings, "Spool", "Link", "Control", "HomeAssistant", "OwnTracks"]

    static let all: [FleetKey] = [
        FleetKey("Server", "Url", \.server, text: { $0?.description ?? "" }) {
            (text) throws(FleetRefusal) in try ServerAddress(parsing: text)
        },
        file("Certificate", \.certificate), file("Key", \.key), file("Authority", \.authority),
        FleetKey("Server", "User", \.user, text: { $0 ?? "" }) { (text) throws(FleetRefusal) in text },
        file("PasswordFile", \.passwordFile),
        FleetKey("Server", "Version", \.version, text: { $0?.rawValue ?? "" }) {
            (text) throws(FleetRefusal) in try oneOf(ProtocolVersion.allCases, text)
        },
        FleetKey("Topics", "Prefix", \.prefix, text: { $0 }) { (text) throws(FleetRefusal) in
            try topic(text, levels: true)
        },
        FleetKey("Topics", "Host", \.host, text: { $0 }) { (text) throws(FleetRefusal) in try topic(text, levels: false)
        },
        FleetKey("Spool", "MaxBytes", \.maximumBytes, text: ByteCount.text) {
            (text) throws(FleetRefusal) in try ByteCount.parse(text, from: 64 << 10)
        },
        FleetKey("Spool", "MaxAgeSec", \.maximumAge, text: \.description) {
            (text) throws(FleetRefusal) in try span(text, from: 1_000_000_000)
        },
        FleetKey("Spool", "SyncSec", \.sync, text: \.description) {
            (text) throws(FleetRefusal) in
            let span = try span(text, from: 100_000_000)
            guard span != .infinity else {
                throw FleetRefusal("it has to be finite: all after the last sync is lost in a power cut")
            }
            return span
        },
        FleetKey("Spool", "KeepAcknowledgedSec", \.keepAcknowledged, text: \.description) {
            (text) throws(FleetRefusal) in try span(text, from: 0)
        },
        FleetKey(
            "Spool", "BacklogSpeed", \.backlogSpeed,
            text: { $0.map { $0 == $0.rounded() ? String("\($0)".dropLast(2)) : "\($0)" } ?? "max" }
        ) { (text) throws(FleetRefusal) in
            if text == "max" { return nil }
            guard let speed = Double(text), speed >= 1, speed <= 1e6 else {
                throw FleetRefusal("write how many times faster than it was measured, from 1 to 1000000, or max")
            }
            return speed
        },
        FleetKey("Spool", "Order", \.order, text: \.rawValue) {
            (text) throws(FleetRefusal) in try oneOf(Order.allCases, text)
        },
        FleetKey("Link", "DailyBytes", \.dailyBytes, text: { $0.map(ByteCount.text) ?? "" }) {
            (text) throws(FleetRefusal) in try ByteCount.parse(text, from: 64 << 10)
        },
        FleetKey("Link", "BacklogWhenExists", \.backlogCondition, text: { $0?.text ?? "" }) {
            (text) throws(FleetRefusal) in try PathCondition(parsing: text)
        },
        FleetKey("Link", "BundleSec", \.bundle, text: { $0?.description ?? "" }) {
            (text) throws(FleetRefusal) in
            let span = try span(text, from: 1_000_000_000)
            guard span.nanoseconds <= 30_000_000_000 else {
                throw FleetRefusal("write at most 30s: the status tells consumers the newest numbers each 30 s")
            }
            return span
        },
        FleetKey("Control", "RemoteInterval", \.allowsRemoteInterval, text: { $0 ? "yes" : "no" }) {
            (text) throws(FleetRefusal) in try bool(text)
        },
        FleetKey("Control", "MinInterval", \.minimumInterval, text: { $0?.description ?? "" }) {
            (text) throws(FleetRefusal) in
            do throws(TimeSpanError) { return try TimeSpan(parsingInterval: text) } catch {
                throw FleetRefusal(error.description)
            }
        },
        FleetKey("HomeAssistant", "Discovery", \.homeAssistant, text: { $0 ?? "" }) { (text) throws(FleetRefusal) in
            try topic(text, levels: true)
        },
        FleetKey("OwnTracks", "Topic", \.ownTracks, text: { $0 ?? "" }) { (text) throws(FleetRefusal) in
            let topic = try topic(text, levels: true)
            guard topic.split(separator: "/").count == 3 else {
                throw FleetRefusal("OwnTracks needs three levels, such as owntracks/fleet/%m")
            }
            return topic
        },
    ]

    /// As systemd has them. systemd.syntax(7)
    private static func bool(_ text: String) throws(FleetRefusal) -> Bool {
        switch text.lowercased() {
        case "yes", "true", "on", "1": return true
        case "no", "false", "off", "0": return false
        default: throw FleetRefusal("write yes or no")
        }
    }

    private static func file(_ name: String, _ path: any WritableKeyPath<FleetSettings, String?> & Sendable) -> FleetKey
    {
        FleetKey("Server", name, path, text: { $0 ?? "" }) { (text) throws(FleetRefusal) in
            guard text.hasPrefix("/") || !text.contains("/") else {
                throw FleetRefusal("write a whole path, or the name of a credential of the unit (LoadCredential=)")
            }
            return text
        }
    }

    private static func oneOf<Value: RawRepresentable<String>>(
        _ values: [Value], _ text: String
    ) throws(FleetRefusal) -> Value {
        guard let value = Value(rawValue: text) else {
            throw FleetRefusal("write \(values.map(\.rawValue).joined(separator: " or "))")
        }
        return value
    }

    private static func topic(_ text: String, levels: Bool) throws(FleetRefusal) -> String {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = text.utf8.allSatisfy {
            $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "#")
        }
        guard isPlain, parts.allSatisfy({ !$0.isEmpty }), levels || parts.count == 1, !text.hasPrefix("$"),
            text.utf8.count <= 128
        else {
            throw FleetRefusal(
                "it is a part of topics: no spaces, no '+', '#'\(levels ? ", no empty level" : " or '/'"), at most 128 bytes"
            )
        }
        return text
    }

    private static func span(_ text: String, from least: Int64) throws(FleetRefusal) -> TimeSpan {
        let span: TimeSpan
        do throws(TimeSpanError) { span = try TimeSpan(parsing: text) } catch { throw FleetRefusal(error.description) }
        guard span.nanoseconds >= least else { throw FleetRefusal("write at least \(TimeSpan(nanoseconds: least))") }
        return span
    }
}

/// Numbers of bytes as systemd writes them: `512M`, to the base 1024.
enum ByteCount {
    private static let units: [(name: String, bytes: Int)] = [
        ("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
    ]

    static func parse(_ text: String, from least: Int) throws(FleetRefusal) -> Int {
        let unit = units.first { text.hasSuffix($0.name) }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = Int(digits), number > 0, number <= (1 << 50) / (unit?.bytes ?? 1) else {
            throw FleetRefusal("write a number of bytes like 64M or 2G")
        }
        let bytes = number * (unit?.bytes ?? 1)
        guard bytes >= least else { throw FleetRefusal("write at least \(self.text(least))") }
        return bytes
    }

    static func text(_ bytes: Int) -> String {
        guard let unit = units.first(where: { bytes % $0.bytes == 0 && bytes > 0 }) else { return "\(bytes)" }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
