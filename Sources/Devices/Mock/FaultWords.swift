internal import Configuration
public import Readings

/// A fault as people write it: `unplug accelerometer for 5s`, `jump 2km north`, `replug`.
///
/// Scenarios, after a time, and the command line use the same words. After the first word their order is free.
public struct FaultWords: Equatable, Sendable {
    /// The order.
    public private(set) var order: FaultOrder
    /// The device; nil if only one can have the fault.
    public private(set) var resource: ResourceName?

    /// Parses words.
    public init(_ words: [String]) throws(FaultRefusal) {
        let words = UnitWords.joined(words)
        guard let first = words.first else { throw FaultRefusal("which fault? One of \(Self.known)") }
        let rest = words.dropFirst()
        let isEnd = first == "replug" || first == "clear"
        guard let kind = isEnd ? .unplug : Self.kind(first) else {
            let meant = Suggestion.nearest(to: first, among: Self.all)
            throw FaultRefusal(
                "there is no fault '\(ConfigurationProblem.excerpt(first))': "
                    + (meant.map { "did you mean \($0)?" } ?? "write one of \(Self.known)"))
        }
        var amounts = FaultAmounts()
        let end = rest.firstIndex(of: "for") ?? rest.endIndex
        order = .end(first == "clear" ? nil : .unplug)
        for word in rest[..<end] {
            // `drop 5 of accelerometer` reads better.
            if word == "of" || word == "by" || word == "to" { continue }
            if try !amounts.take(word, of: kind) { try take(resource: word, of: first) }
        }
        let nanoseconds = try Self.duration(rest[end...])
        guard !isEnd else {
            guard nanoseconds == nil, amounts.names.isEmpty else {
                throw FaultRefusal("\(first) takes a device, and nothing else")
            }
            return
        }
        guard nanoseconds == nil || !kind.isMomentary else {
            throw FaultRefusal("\(first) is over as soon as it has happened: leave out 'for'")
        }
        guard nanoseconds != nil || kind != .late else {
            throw FaultRefusal("late needs to know for how long: write 'late for 2s'")
        }
        do throws(FaultAmounts.Refusal) { order = .begin(try amounts.fault(kind), nanoseconds: nanoseconds) } catch {
            throw FaultRefusal("\(first) \(error.words(of: kind))")
        }
    }

    private mutating func take(resource word: String, of fault: String) throws(FaultRefusal) {
        guard let name = ResourceName(word) else {
            throw FaultRefusal(
                "'\(ConfigurationProblem.excerpt(word))' does not fit \(fault): write it like '\(Self.example(fault))'"
            )
        }
        guard resource == nil else {
            throw FaultRefusal("\(fault) happens to one device, not to \(resource?.description ?? "") and \(name)")
        }
        resource = name
    }

    private static func duration(_ words: ArraySlice<String>) throws(FaultRefusal) -> Int64? {
        guard !words.isEmpty else { return nil }
        let text = words.dropFirst().joined(separator: " ")
        let span: TimeSpan
        do throws(TimeSpanError) { span = try TimeSpan(parsing: text) } catch { throw FaultRefusal("\(error)") }
        guard span.nanoseconds > 0 else {
            throw FaultRefusal("a fault needs a duration above 0: leave out 'for', or write 'for 5s'")
        }
        return span == .infinity ? nil : span.nanoseconds
    }

    private static func kind(_ word: String) -> FaultKind? { word == "drop" ? .overflow : FaultKind(rawValue: word) }

    /// All words that can begin an order.
    public static let all = FaultKind.allCases.map(\.rawValue) + ["drop", "replug", "clear"]

    static let known = all.joined(separator: ", ")

    /// An example of the fault.
    public static func example(_ word: String) -> String {
        switch word {
        case "overflow", "drop": "\(word) 20 accelerometer"
        case "lie": "lie accelerometer 50Hz for 10s"
        case "refuse": "refuse accelerometer 100Hz for 10s"
        case "satellites": "satellites 3 for 20s"
        case "jump": "jump 2km north for 30s"
        case "utc-back": "utc-back 3s for 10s"
        case "replug", "clear": "\(word) accelerometer"
        case "no-fix", "week-rollover", "gpsd-restart": "\(word) for 20s"
        default: "\(word) accelerometer for 5s"
        }
    }
}

extension FaultWords: CustomStringConvertible {
    /// The words, which can be parsed again.
    public var description: String {
        let device = resource.map { [$0.description] } ?? []
        switch order {
        case .end(let kind): return ([kind == nil ? "clear" : "replug"] + device).joined(separator: " ")
        case .begin(let fault, let nanoseconds):
            let length = nanoseconds.map { ["for", TimeSpan(nanoseconds: $0).description] } ?? []
            return ([fault.kind.rawValue] + fault.amounts.words + device + length).joined(separator: " ")
        }
    }
}

/// Numbers that are separated from their units: `5 s`, `2 km`.
public enum UnitWords {
    private static let units =
        Set(TimeSpan.unitNames).union(Rate.unitNames).union(["m", "km", "deg", "°", "g", "mg", "m/s2", "m/s²"])

    /// Joins each number with the unit after it.
    public static func joined(_ words: [String]) -> [String] {
        words.reduce(into: []) { words, word in
            guard units.contains(word.lowercased()), let last = words.last, !last.isEmpty,
                last.utf8.allSatisfy({ $0.isDigit || ".-".utf8.contains($0) })
            else { return words.append(word) }
            words[words.count - 1] = last + word
        }
    }
}
