internal import Configuration
internal import Mock

/// Parses motions: `walk at 1.8Hz for 30s`, `rotate x by 90deg for 2s`, `hand for 30s`, `walk and rotate z by 90deg for 2s`.
enum Motions {
    private static let examples: KeyValuePairs = [
        "still": "still for 10s", "walk": "walk at 1.8Hz for 30s", "drive": "drive for 1min",
        "shake": "shake x at 5Hz by 15m/s2 for 2s", "drop": "drop from 1m", "rotate": "rotate x by 90deg for 2s",
        "hand": "hand for 30s",
    ]

    private static func example(_ kind: String) -> String? { examples.first { $0.key == kind }?.value }

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
            phrases.append(try phrase(words, of: text))
        }
        let written = phrases.compactMap(\.seconds)
        guard written.count <= 1 else {
            throw Refusal("has two lengths for what happens at the same time: write 'for' once, at its end")
        }
        guard let seconds = written.first ?? phrases.compactMap(\.usualSeconds).first, (0.001...1e6).contains(seconds)
        else {
            let kind = words.first ?? ""
            throw Refusal(text, isNo: kind, write: "it like '\(example(kind) ?? "")'")
        }
        return (phrases.map(\.movement), seconds)
    }

    private static func phrase(_ words: ArraySlice<String>, of text: String) throws(Refusal) -> Phrase {
        var words = words
        let kind = words.popFirst() ?? ""
        guard let example = example(kind) else {
            let kinds = examples.map(\.key)
            let meant = Suggestion.nearest(to: kind, among: kinds).flatMap { Self.example($0) }
            throw Refusal(
                "'\(ConfigurationProblem.excerpt(kind))' is not a motion: "
                    + (meant.map { "did you mean '\($0)'?" } ?? "write one of \(kinds.joined(separator: ", "))"))
        }
        guard let phrase = try phrase(kind, &words), words.isEmpty else {
            throw Refusal(text, isNo: kind, write: "it like '\(example)'")
        }
        return phrase
    }

    private static func phrase(_ kind: String, _ words: inout ArraySlice<String>) throws(Refusal) -> Phrase? {
        let axis = kind == "shake" || kind == "rotate" ? next(of: &words, Movement.Axis.init(rawValue:)) : nil
        var hertz: Double?
        var amount: Double?
        var length: Double?
        while let word = words.popFirst() {
            switch word {
            case "at" where hertz == nil:
                hertz = next(of: &words) { Rate.hertz($0) }
                guard hertz != nil else { return nil }
            case "by" where kind == "shake" && amount == nil:
                amount = next(of: &words, NumberWithUnit.acceleration)
                guard amount != nil else { return nil }
            case "by" where kind == "rotate" && amount == nil:
                amount = next(of: &words, NumberWithUnit.degrees)
                guard amount != nil else { return nil }
            case "from" where kind == "drop" && amount == nil:
                amount = next(of: &words, NumberWithUnit.meters)
                guard let amount, (0...10_000).contains(amount) else { return nil }
            case "for" where length == nil:
                let text = words.joined(separator: " ")
                words = []
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

    /// Takes the next word if it can be parsed.
    private static func next<Value>(of words: inout ArraySlice<String>, _ read: (String) -> Value?) -> Value? {
        guard let word = words.first, let value = read(word) else { return nil }
        words.removeFirst()
        return value
    }
}
