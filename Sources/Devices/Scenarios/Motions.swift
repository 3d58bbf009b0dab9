internal import Configuration
internal import Formats
internal import Mock
internal import Readings

/// Parses motions: `walk at 1.8Hz for 30s`, `rotate x by 90deg for 2s`, `drop from 1m`.
enum Motions {
    private static let examples: [String: String] = [
        "still": "still for 10s", "walk": "walk at 1.8Hz for 30s", "drive": "drive for 1min",
        "shake": "shake x at 5Hz by 15m/s2 for 2s", "drop": "drop from 1m", "rotate": "rotate x by 90deg for 2s",
    ]
    private static let order = ["still", "walk", "drive", "shake", "drop", "rotate"]

    static func part(_ text: String) throws(Refusal) -> MotionSequence.Part {
        var words = Words(UnitWords.joined(text.split(separator: " ").map(String.init)))
        guard let kind = words.next(), let example = examples[kind] else {
            let first = text.prefix { $0 != " " }
            let meant = Suggestion.nearest(to: String(first), among: order)
            throw Refusal(
                "'\(ConfigurationProblem.excerpt(first))' is not a motion: "
                    + (meant.map { "did you mean '\(examples[$0] ?? $0)'?" }
                        ?? "write one of \(order.joined(separator: ", "))"))
        }
        guard let part = try part(kind, &words), words.isEmpty, (0.001...1e6).contains(part.seconds) else {
            throw Refusal(text, isNo: kind, write: "it like '\(example)'")
        }
        return part
    }

    private static func part(_ kind: String, _ words: inout Words) throws(Refusal) -> MotionSequence.Part? {
        let axis = kind == "shake" || kind == "rotate" ? words.next(as: Motion.Axis.init(rawValue:)) : nil
        var hertz: Double?
        var amount: Double?
        var length: Double?
        while let word = words.next() {
            switch word {
            case "at" where hertz == nil:
                hertz = words.next(as: { Rate.hertz($0) })
                guard hertz != nil else { return nil }
            case "by" where kind == "shake" && amount == nil:
                amount = words.next(as: NumberWithUnit.acceleration)
                guard amount != nil else { return nil }
            case "by" where kind == "rotate" && amount == nil:
                amount = words.next(as: NumberWithUnit.degrees)
                guard amount != nil else { return nil }
            case "from" where kind == "drop" && amount == nil:
                amount = words.next(as: NumberWithUnit.meters)
                guard let amount, (0...10_000).contains(amount) else { return nil }
            case "for" where length == nil:
                let text = words.rest()
                do throws(TimeSpanError) { _ = try TimeSpan(parsing: text) } catch { throw Refusal("\(error)") }
                length = NumberWithUnit.seconds(text)
                guard length != nil else { return nil }
            default: return nil
            }
        }
        guard hertz == nil || kind == "walk" || kind == "shake", hertz.map({ $0 <= 10_000 }) ?? true,
            abs(amount ?? 0) <= 1e6
        else { return nil }
        switch kind {
        case "still": return length.map { (.still, $0) }
        case "walk": return length.map { (.walk(hertz: hertz ?? 1.9), $0) }
        case "drive": return length.map { (.drive, $0) }
        case "shake":
            return length.map {
                (.shake(axis ?? .x, hertz: hertz ?? 4, metersPerSecondSquared: amount ?? 15), $0)
            }
        case "rotate":
            guard let axis, let amount else { return nil }
            return (.rotate(axis, degrees: amount), length ?? 1)
        default: return (.drop, length ?? Motion.dropSeconds(meters: amount ?? 1))
        }
    }

    private struct Words {
        private var words: ArraySlice<String>
        init(_ words: [String]) { self.words = words[...] }
        var isEmpty: Bool { words.isEmpty }
        mutating func next() -> String? { words.popFirst() }

        /// Takes the next word if it can be parsed.
        mutating func next<Value>(as read: (String) -> Value?) -> Value? {
            guard let word = words.first, let value = read(word) else { return nil }
            words.removeFirst()
            return value
        }

        mutating func rest() -> String {
            defer { words = [] }
            return words.joined(separator: " ")
        }
    }
}
