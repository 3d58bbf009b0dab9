internal import Configuration
internal import BrokerClient
internal import Programs
internal import Readings

/// What may stand behind the name of a resource on the command line, for it alone: `accelerometer@1kHz,batch=100ms`.
///
/// It goes before the option of the command, which is for all resources. The grammar is here only: the parser, the help, the
/// manual and the completions take it from this table.
struct RequestOption: Sendable {
    let name: String
    /// Its value as the help shows it; nil: it has none.
    let value: String?
    /// The option of a command that means the same for all its resources.
    let common: Option
    private let apply: @Sendable (String, inout Request) throws(UsageError) -> Void

    static let all = [
        Self(name: "batch", value: "TIME", common: .batch) { text, request throws(UsageError) in
            request.batchNanoseconds = try TimeWords.nanoseconds(text)
        },
        Self(name: "filter", value: filters.joined(separator: "|"), common: .filter) {
            text, request throws(UsageError) in
            guard filters.contains(text) else {
                throw UsageError("filter= does not take '\(text)': " + Suggestion.advice(for: text, among: filters))
            }
            request.filter = text
        },
        Self(name: "min", value: "CHANGE", common: .minChange) { text, request throws(UsageError) in
            request.minimumChange = try MinimumChange(text).value(for: request.resource)
        },
        Self(name: "satellites", value: nil, common: .satellites) { _, request throws(UsageError) in
            guard Request.mayBeLocation(request.resource) else {
                throw UsageError("satellites belong to a location, not to \(request.resource)")
            }
            request.satellites = true
        },
    ]

    private static let filters = Option.filter.value?.choices ?? []

    /// As it is typed: `batch=`, `satellites`.
    var text: String { name + (value == nil ? "" : "=") }

    /// For the help, with marks.
    static var explanation: String {
        let list = all.map { "`,\($0.text)\($0.value ?? "")` (as `\($0.common.text)`)" }
        return "Behind a resource's name, OPTIONs are for it alone, and go before those of the command: "
            + list.joined(separator: ", ") + ". An example: `location@1s,min=5m accelerometer@1kHz,batch=100ms`."
    }

    /// Whether a word ends with an option of a resource, and so is no file.
    static func isIn(_ word: String) -> Bool {
        let parts = word.split(separator: ",", omittingEmptySubsequences: false).dropFirst()
        return parts.contains { part in all.contains { part == $0.text || ($0.value != nil && part.hasPrefix($0.text)) }
        }
    }

    /// Applies `NAME` or `NAME=VALUE`.
    static func apply(_ text: some StringProtocol, to request: inout Request) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard let option = all.first(where: { $0.name == parts[0] }) else {
            let advice = Suggestion.advice(for: parts[0], among: all.map(\.name))
            throw UsageError("\(request.resource) has no option '\(parts[0])': \(advice)")
        }
        guard (option.value != nil) == (parts.count == 2), parts.count == 1 || !parts[1].isEmpty else {
            throw UsageError(
                option.value.map { "\(option.name) needs a value: \(request.resource),\(option.text)\($0)" }
                    ?? "\(option.name) takes no value: \(request.resource),\(option.name)")
        }
        try option.apply(parts.count == 2 ? parts[1] : "", &request)
    }
}

extension Request {
    /// Whether a name, or an operand that begins with it, is that of a location, or of a kind that this program does not know.
    static func mayBeLocation(_ text: String) -> Bool {
        let kind = Kind(resource: text.prefix { $0 != "@" && $0 != "," && $0 != ":" })
        return kind == nil || kind == .location
    }

    /// Reads `RESOURCE[@INTERVAL][,OPTION]...`.
    init(_ text: String) throws(UsageError) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let parts = words[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let resource = parts.first, !resource.isEmpty else {
            throw UsageError("'\(text)' names no resource: write it like accelerometer or accelerometer@100ms")
        }
        self.init(resource: String(resource))
        if parts.count == 2 { intervalNanoseconds = try TimeWords.interval(String(parts[1])) }
        var seen: Set<Substring> = []
        for word in words.dropFirst() {
            guard seen.insert(word.prefix { $0 != "=" }).inserted else {
                throw UsageError("'\(word.prefix { $0 != "=" })' is given twice for \(resource)")
            }
            try RequestOption.apply(word, to: &self)
        }
    }
}

/// A hint for an interval that was probably meant as a rate.
///
/// `accelerometer@50` is a reading every 50 seconds, and whoever wrote it for 50 a second sees nothing for a long time. The hint comes
/// whether or not somebody looks at a terminal, since a script or a service that waits for readings is where it costs most; a unit,
/// as in `50s`, keeps it away.
enum IntervalHint {
    /// The hints for a command line.
    static func hints(_ invocation: Invocation) -> [String] {
        let takesRequests = invocation.command.operands.contains(where: \.isRequest)
        let words = takesRequests ? invocation.operands : []
        let ofOperands = words.compactMap { word -> String? in
            // The file of a recording may have the character as well.
            guard !word.contains("/") else { return nil }
            let parts = word.prefix { $0 != "," }.split(separator: "@", maxSplits: 1)
            return parts.count == 2 ? hint(String(parts[1]), "\(parts[0])@\(parts[1])", "\(parts[0])@") : nil
        }
        let interval = takesRequests ? invocation.options[.interval] : nil
        return ofOperands + [interval.flatMap { hint($0, "--interval \($0)", "--interval ") }].compactMap { $0 }
    }

    private static func hint(_ interval: String, _ written: String, _ before: String) -> String? {
        guard interval.allSatisfy({ ("0"..."9").contains($0) || $0 == "." }), let seconds = Double(interval),
            seconds > 1
        else { return nil }
        return "\(written) is a reading every \(interval) s; for \(interval) a second: \(before)\(interval)Hz "
            + "(and \(before)\(interval)s is the same without this hint)"
    }
}
