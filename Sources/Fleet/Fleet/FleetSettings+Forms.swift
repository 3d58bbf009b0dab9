internal import Configuration

/// How values of the settings are written that other programs' settings do not have.
extension FleetSettings {
    static var file: SettingForm<String> {
        SettingForm("a whole path, or the name of a credential", text: { $0 }) { (text) throws(SettingRefusal) in
            guard text.hasPrefix("/") || !text.contains("/") else {
                throw SettingRefusal("write a whole path, or the name of a credential of the unit (LoadCredential=)")
            }
            return text
        }
    }

    static func topic(levels: Bool) -> SettingForm<String> {
        let words = "no spaces, no '+', '#'\(levels ? ", no empty level" : " or '/'"), at most 128 bytes"
        return SettingForm("a part of topics: \(words)", text: { $0 }) { (text) throws(SettingRefusal) in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            let isPlain = text.utf8.allSatisfy {
                $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "#")
            }
            guard isPlain, parts.allSatisfy({ !$0.isEmpty }), levels || parts.count == 1, !text.hasPrefix("$"),
                text.utf8.count <= 128
            else { throw SettingRefusal("it is a part of topics: \(words)") }
            return text
        }
    }

    /// OwnTracks listens to topics of three levels.
    static var trackTopic: SettingForm<String> {
        let any = topic(levels: true)
        return SettingForm("a topic of three levels, such as `owntracks/fleet/%m`", text: { $0 }) {
            (text) throws(SettingRefusal) in
            let topic = try any.parse(text)
            guard topic.split(separator: "/").count == 3 else {
                throw SettingRefusal("OwnTracks needs three levels, such as owntracks/fleet/%m")
            }
            return topic
        }
    }
}

extension SettingForm<Int> {
    /// Numbers of bytes as systemd writes them: `512M`, to the base 1024.
    static var bytes: Self {
        let least = 64 << 10
        return Self(
            "bytes, at least `\(ByteCount.text(least))`; suffixes `K`, `M`, `G`, `T`, to the base 1024",
            text: ByteCount.text
        ) { (text) throws(SettingRefusal) in try ByteCount.parse(text, from: least) }
    }
}

/// Numbers of bytes as systemd writes them: `512M`, to the base 1024.
private enum ByteCount {
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
