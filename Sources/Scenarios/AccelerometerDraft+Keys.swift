internal import Configuration
internal import Devices
internal import Mock
internal import Readings

extension AccelerometerDraft {
    /// What an `[accelerometer]` says.
    static let keys: [ScenarioKey<Self>] = [
        ScenarioKey("Description") { (text, draft, _) throws(Refusal) in draft.description = text },
        ScenarioKey("Rates") { (text, draft, _) throws(Refusal) in draft.rates = try Rates.intervals(text) },
        ScenarioKey("Noise") { (text, draft, _) throws(Refusal) in
            guard let noise = Quantity.acceleration(text), (0...1_000).contains(noise) else {
                throw Refusal(text, isNo: "noise", write: "a standard deviation such as 0.05 m/s2 or 5mg")
            }
            draft.traits.noise = noise
        },
        ScenarioKey("Range") { (text, draft, _) throws(Refusal) in
            guard let range = Quantity.acceleration(text), (0.1...100_000).contains(range) else {
                throw Refusal(text, isNo: "range", write: "the largest value either way, such as 16g")
            }
            draft.traits.range = range
        },
        ScenarioKey("MountMatrix") { (text, draft, _) throws(Refusal) in
            do throws(MountMatrix.Refusal) { draft.traits.mountMatrix = try MountMatrix(text: text) } catch {
                throw Refusal(
                    "has \(ConfigurationProblem.excerpt(error.words, length: 160)); write three rows of three, "
                        + "such as 0, 1, 0; -1, 0, 0; 0, 0, 1")
            }
        },
        ScenarioKey("Motion", isRepeated: true) { (text, draft, _) throws(Refusal) in
            guard draft.motions.count < 10_000 else { throw Refusal("is one too many: 10000 at most") }
            draft.motions.append(try Motions.part(text))
        },
        ScenarioKey("Samples", isRepeated: true) { (text, draft, _) throws(Refusal) in
            draft.samples += try Motions.samples(text)
        },
        ScenarioKey("Csv") { (text, draft, _) throws(Refusal) in draft.csv = ColumnsDraft(name: text) },
        ScenarioKey("Columns") { (text, draft, _) throws(Refusal) in
            let names = text.split(separator: ",").map { $0.trimmed }
            guard names.count == 3 || names.count == 4 else {
                throw Refusal(text, isNo: "list of columns", write: "three or four names: X, Y, Z, or TIME, X, Y, Z")
            }
            draft.columns = names
        },
        ScenarioKey("Unit") { (text, draft, _) throws(Refusal) in
            guard Quantity.acceleration("1" + text) != nil else {
                throw Refusal(text, isNo: "unit", write: "m/s2, g or mg")
            }
            draft.unit = text
        },
        ScenarioKey("TimeUnit") { (text, draft, _) throws(Refusal) in
            guard ["s", "ms", "us", "ns", "date"].contains(text) else {
                throw Refusal(text, isNo: "unit", write: "s, ms, us, ns or date")
            }
            draft.timeUnit = text
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
