internal import Mock
internal import Readings

extension ValuesDraft {
    /// The keys of a kind's section: only what follows from a motion has one, and only what has axes a mounting.
    static func keys(of kind: Kind) -> [ScenarioKey<Self>] {
        all + (MotionSense.has(kind) ? moving : []) + (kind == .magneticField ? magnetic : [])
            + (kind.row.mean == .spherical ? [] : biased) + (kind.row.frame == .device ? mounted : [])
    }

    private static let all: [ScenarioKey<Self>] = [
        ScenarioKey("Description") { (text, draft, _) throws(Refusal) in draft.description = text },
        ScenarioKey("Rates") { (text, draft, _) throws(Refusal) in draft.rates = try Rates.intervals(text) },
        ScenarioKey("PartOf") { (text, draft, _) throws(Refusal) in draft.partOf = text },
        ScenarioKey("Noise") { (text, draft, _) throws(Refusal) in
            let range = draft.kind.row.range
            guard let noise = NumberWithUnit.value(text, in: draft.kind.row.unit),
                (0...range.upperBound / 100).contains(noise)
            else {
                throw Refusal(
                    text, isNo: "noise", write: "a standard deviation such as 0.05 \(draft.kind.row.unit.plain)")
            }
            draft.noise = noise
        },
        ScenarioKey("Range") { (text, draft, _) throws(Refusal) in
            let unit = draft.kind.row.unit
            guard let range = NumberWithUnit.value(text, in: unit),
                (0.1...draft.kind.row.range.upperBound).contains(range)
            else {
                throw Refusal(text, isNo: "range", write: "the largest value either way, such as 16 \(unit.plain)")
            }
            draft.traits.range = range
        },
        ScenarioKey("Samples", isRepeated: true) { (text, draft, _) throws(Refusal) in
            draft.samples += try Numbers.samples(text, of: draft.kind)
        },
        ScenarioKey("Csv") { (text, draft, _) throws(Refusal) in draft.csv.name = text },
        ScenarioKey("Columns") { (text, draft, _) throws(Refusal) in
            let names = text.split(separator: ",").map { $0.trimmed }
            let channels = draft.kind.row.channels.map { $0.description.uppercased() }
            guard names.count == channels.count || names.count == channels.count + 1 else {
                let list = channels.joined(separator: ", ")
                throw Refusal(
                    text, isNo: "list of columns",
                    write: "\(channels.count) or \(channels.count + 1) names: \(list), or TIME, \(list)")
            }
            draft.csv.columns = names
        },
        ScenarioKey("Unit") { (text, draft, _) throws(Refusal) in
            let unit = draft.kind.row.unit
            guard !text.isEmpty, unit.factor(of: text) != nil else {
                let words = unit.words.isEmpty ? "nothing: \(draft.kind.row.resource) has no unit" : unit.words
                throw Refusal(text, isNo: "unit", write: words)
            }
            draft.csv.unit = text
        },
        ScenarioKey("TimeUnit") { (text, draft, _) throws(Refusal) in
            guard ["s", "ms", "us", "ns", "date"].contains(text) else {
                throw Refusal(text, isNo: "unit", write: "s, ms, us, ns or date")
            }
            draft.csv.timeUnit = text
        },
        ScenarioKey("AtEnd") { (text, draft, _) throws(Refusal) in
            guard let atEnd = AtEnd(rawValue: text) else { throw Refusal(text, isNo: "end", write: "repeat or hold") }
            draft.atEnd = atEnd
        },
    ]
}

extension Substring {
    fileprivate var trimmed: String {
        let front = drop { $0 == " " || $0 == "\t" }
        return String(front.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
