internal import Configuration
internal import Mock

/// Parses motions: `walk at 1.8Hz for 30s`, `rotate x by 90deg for 2s`, `hand for 30s`, `walk and rotate z by 90deg for 2s`.
enum Motions {
    private static let examples: [String: String] = [
        "still": "still for 10s", "walk": "walk at 1.8Hz for 30s", "drive": "drive for 1min",
        "shake": "shake x at 5Hz by 15m/s2 for 2s", "drop": "drop from 1m", "rotate": "rotate x by 90deg for 2s",
        "hand": "hand for 30s",
    ]
    private static let order = ["still", "walk", "drive", "shake", "drop", "rotate", "hand"]

    /// One movement, with its length if that is written, and the one that it has otherwise.
    private struct Phrase {
        var movement: Movement
        var seconds: Double?
        var usualSeconds: Double?
    }

    static func part(_ text: String) throws(Refusal) -> MotionSequence.Part {
        var phrases: [Phrase] = []
        let words = UnitWords.joined(text.split(separator: " ").map(String.init))
        for words in words.split(separator: "and", omittingEmptySubsequences: false) {
            phrases.append(try phrase(Words(words), of: text))
        }
        let written = phrases.compactMap(\.seconds)
        guard written.count <= 1 else {
            throw Refusal("has two lengths for what happens at the same time: write 'for' once, at its end")
        }
        guard let seconds = written.first ?? phrases.compactMap(\.usualSeconds).first, (0.001...1e6).contains(seconds)
        else {
            let kind = words.first ?? ""
            throw Refusal(text, isNo: kind, write: "it like '\(examples[kind] ?? "")'")
        }
        return (phrases.map(\.movement), seconds)
    }

    private static func phrase(_ words: Words, of text: String) throws(Refusal) -> Phrase {
        var words = words
        let first = words.next()
        guard let kind = first, let example = examples[kind] else {
            let meant = Suggestion.nearest(to: first ?? "", among: order)
            throw Refusal(
                "'\(ConfigurationProblem.excerpt(first ?? ""))' is not a motion: "
                    + (meant.map { "did you mean '\(examples[$0] ?? $0)'?" }
                        ?? "write one of \(order.joined(separator: ", "))"))
        }
        guard let phrase = try phrase(kind, &words), words.isEmpty else {
            throw Refusal(text, isNo: kind, write: "it like '\(example)'")
        }
        return phrase
    }

    private static func phrase(_ kind: String, _ words: inout Words) throws(Refusal) -> Phrase? {
        let axis = kind == "shake" || kind == "rotate" ? words.next(as: Movement.Axis.init(rawValue:)) : nil
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
        case "still": return Phrase(movement: .still, seconds: length)
        case "walk": return Phrase(movement: .walk(hertz: hertz ?? 1.9), seconds: length)
        case "drive": return Phrase(movement: .drive, seconds: length)
        case "hand": return Phrase(movement: .hand, seconds: length)
        case "shake":
            return Phrase(
                movement: .shake(axis ?? .x, hertz: hertz ?? 4, metersPerSecondSquared: amount ?? 15), seconds: length)
        case "rotate":
            guard let axis, let amount else { return nil }
            return Phrase(movement: .rotate(axis, degrees: amount), seconds: length, usualSeconds: 1)
        default:
            return Phrase(
                movement: .drop, seconds: length, usualSeconds: Movement.dropSeconds(meters: amount ?? 1))
        }
    }

    private struct Words {
        private var words: ArraySlice<String>
        init(_ words: ArraySlice<String>) { self.words = words }
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
