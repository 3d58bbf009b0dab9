internal import Printable
internal import Varlink

/// Metrics as text for Prometheus; pure.
///
/// It knows no metric by name, so it can show those of a later broker: everything follows from the names and types
/// that the broker sends. `io.sensorbroker.DeviceSamplesTotal` becomes `sensorbroker_device_samples_total`, and its
/// object gets a label with the first word of the name: `device`. A text becomes a label with the last word, and the value
/// 1: `sensorbroker_resource_state{resource="location",state="active"} 1`.
struct MetricsText {
    /// The two formats.
    enum Format {
        /// OpenMetrics 1.0.
        case openMetrics
        /// The format before it, version 0.0.4, which node_exporter reads from files.
        case prometheus
    }

    /// The units that a name may end in.
    private static let units = ["seconds", "bytes", "hertz"]

    private struct Family {
        let help: String
        let type: String
        var lines: [String] = []
    }

    private let broker: String?
    /// By the name of the text, without the suffix that belongs to a sample.
    private var families: [String: Family] = [:]
    private var order: [String] = []
    /// The names of the families that were described.
    private var described: Set<String> = []

    /// Metrics of the broker instance with that name, or of the first one; if it does not answer, there is no other.
    init(broker: String?, isUp: Bool = true) {
        self.broker = broker
        let up = "sensorbroker_up"
        begin(up, "Whether the broker has answered", "gauge")
        let line = "\(up)\(labels([])) \(isUp ? 1 : 0)"
        families[up]?.lines = [line]
    }

    /// Takes a reply to `Describe`; those of all families come before the metrics.
    mutating func describe(_ reply: Parameters) throws(VarlinkError) {
        let name = try reply.string("name")
        let (type, help) = (try reply.string("type"), try reply.string("description"))
        described.insert(name)
        let text = Self.snake(name)
        let (base, suffix) = Self.split(text)
        switch (type, suffix) {
        case ("counter", "bucket"): begin(base, help, "histogram")
        // They belong to the buckets, which come first.
        case ("counter", "count"), ("counter", "sum"): if families[base] == nil { begin(text, help, "unknown") }
        case ("counter", "total"): begin(base, help, "counter")
        case ("counter", _): begin(text, help, "unknown")
        case ("gauge", "info"): begin(base, help, "info")
        default: begin(text, help, "gauge")
        }
    }

    /// Takes a reply to `List`; a metric of a family that was not described is left out.
    mutating func add(_ reply: Parameters) throws(VarlinkError) {
        let fullName = try reply.string("name")
        let object = try reply.optionalString("object")
        let fields = try (reply.optionalObject("fields")?.object.members ?? []).map { member throws(VarlinkError) in
            guard case .string(let text) = member.value else { throw .invalidParameter("fields") }
            return (member.key, text)
        }
        let name = Self.snake(fullName)
        let (base, _) = Self.split(name)
        let key = families[name] == nil ? base : name
        guard described.contains(fullName), families[key] != nil else { return }
        let words = Self.words(fullName)
        var labels = (object.map { [(words.first ?? "object", $0)] } ?? []) + fields
        let value: String
        switch reply.object["value"] ?? .null {
        case .integer(let number): value = "\(number)"
        case .number(let number): value = number.description
        case .string(let text):
            labels.append((words.last ?? "value", text))
            value = "1"
        default: return
        }
        let line = "\(name)\(self.labels(labels)) \(value)"
        families[key]?.lines.append(line)
    }

    /// The text, family by family; one without metrics is left out.
    func lines(_ format: Format) -> [String] {
        let lines = order.flatMap { base -> [String] in
            guard let family = families[base], !family.lines.isEmpty else { return [] }
            return Self.head(base, family, format) + family.lines
        }
        return format == .openMetrics ? lines + ["# EOF"] : lines
    }

    private static func head(_ base: String, _ family: Family, _ format: Format) -> [String] {
        // The older format describes the name of the samples, and has fewer types.
        let name: String
        let type: String
        switch (format, family.type) {
        case (.prometheus, "counter"): (name, type) = (base + "_total", "counter")
        case (.prometheus, "info"): (name, type) = (base + "_info", "gauge")
        case (.prometheus, "unknown"): (name, type) = (base, "untyped")
        default: (name, type) = (base, family.type)
        }
        var lines = [
            "# HELP \(name) \(escaped(family.help, quotes: format == .openMetrics))", "# TYPE \(name) \(type)",
        ]
        if format == .openMetrics, let unit = units.first(where: { base.hasSuffix("_" + $0) }) {
            lines.append("# UNIT \(name) \(unit)")
        }
        return lines
    }

    private mutating func begin(_ base: String, _ help: String, _ type: String) {
        guard families[base] == nil else { return }
        families[base] = Family(help: help, type: type)
        order.append(base)
    }

    private func labels(_ labels: [(String, String)]) -> String {
        let all = (broker.map { [("broker", $0)] } ?? []) + labels
        guard !all.isEmpty else { return "" }
        return "{" + all.map { "\(Self.labelName($0))=\"\(Self.escaped($1, quotes: true))\"" }.joined(separator: ",")
            + "}"
    }

    // MARK: names

    /// The words of the last part of a name: `DeviceSamplesTotal` has three.
    private static func words(_ name: String) -> [String] {
        let last = name.split(separator: ".").last ?? ""
        var words: [String] = []
        for character in last {
            if character.isUppercase || words.isEmpty { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
        return words
    }

    /// A name for Prometheus; characters that it does not allow become underscores.
    private static func snake(_ name: String) -> String {
        let parts = name.split(separator: ".").map { String($0) }
        // The vendor's domain is left out, as in the names of other programs.
        let prefix = parts.dropLast().last ?? "sensorbroker"
        return labelName(([prefix] + words(name)).joined(separator: "_"))
    }

    private static func labelName(_ name: String) -> String {
        let safe = name.unicodeScalars.map { scalar -> Character in
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                ? Character(scalar) : "_"
        }
        return safe.first?.isNumber == true ? "_" + String(safe) : String(safe)
    }

    private static func split(_ name: String) -> (base: String, suffix: String?) {
        for suffix in ["total", "bucket", "count", "sum", "info"] where name.hasSuffix("_" + suffix) {
            return (String(name.dropLast(suffix.count + 1)), suffix)
        }
        return (name, nil)
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.printableLines.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
