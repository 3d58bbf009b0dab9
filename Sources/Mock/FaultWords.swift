internal import Configuration
public import Readings

/// What is to happen to which device, as people write it: `unplug accelerometer for 5s`, `jump 2km north`, `replug`.
///
/// The same in a scenario, behind a time, and on the command line. Behind the first word the order is free.
public struct FaultWords: Equatable, Sendable {
    /// What is to happen.
    public private(set) var order: FaultOrder
    /// To which device; nil where there is but one that it can happen to.
    public private(set) var resource: ResourceName?

    /// Reads words.
    public init(_ words: [String]) throws(FaultRefusal) {
        let words = UnitWords.joined(words)
        guard let first = words.first else { throw FaultRefusal("what is to happen? One of \(Self.known)") }
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
                "'\(ConfigurationProblem.excerpt(word))' says nothing about \(fault): write it like '\(Self.example(fault))'"
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
            throw FaultRefusal("a fault cannot last 0: leave out 'for', or write 'for 5s'")
        }
        return span == .infinity ? nil : span.nanoseconds
    }

    private static func kind(_ word: String) -> FaultKind? { word == "drop" ? .overflow : FaultKind(rawValue: word) }

    /// Every word that begins an order.
    public static let all = FaultKind.allCases.map(\.rawValue) + ["drop", "replug", "clear"]

    static let known = all.joined(separator: ", ")

    /// How a fault is written.
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
    /// As it can be read again.
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
