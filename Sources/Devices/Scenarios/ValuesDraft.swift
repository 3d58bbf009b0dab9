internal import Configuration
internal import Mock
internal import Readings

/// A section about a sensor with numeric channels, such as `[accelerometer]`, while it is parsed.
struct ValuesDraft {
    /// What happens after the last motion or value.
    enum AtEnd: String {
        case `repeat`
        case hold
    }

    let kind: Kind
    var rates: [Int64]?
    /// The section of the sensor whose device also measures this kind.
    var partOf: String?
    var traits = ChipTraits()
    var atEnd = AtEnd.repeat
    var description: String?
    var motions: [MotionSequence.Part] = []
    var samples: [Values] = []
    var csv: ColumnsDraft?
    var columns: [String] = []
    var unit: String?
    var timeUnit: String?

    init(_ kind: Kind) { self.kind = kind }

    /// The script of the sensor; without a source, the usual one of its kind.
    func script(seed: UInt64, _ files: ScenarioFiles) throws(Refusal) -> MockScript {
        var traits = traits
        traits.seed = seed
        let source = try source(seed: seed, files)
        return .values(
            of: kind, from: source, traits, offeredNanoseconds: rates ?? MockScript.handHeldNanoseconds,
            description: description ?? words(source))
    }

    // A description of the source; the duration of a file shows whether its times were read in the right unit.
    private func words(_ source: ValueSource) -> String {
        guard let csv, case .series(let series) = source else { return "simulated \(kind.row.resource)" }
        let length =
            series.seconds > 0
            ? " over \(TimeSpan(nanoseconds: Int64(exactly: (series.seconds * 1e3).rounded()).map { $0 &* 1_000_000 } ?? .max))"
            : ""
        return "\(series.count) values of \(csv.name)\(length)"
    }

    private func source(seed: UInt64, _ files: ScenarioFiles) throws(Refusal) -> ValueSource {
        let given = [("Motion", !motions.isEmpty), ("Samples", !samples.isEmpty), ("Csv", csv != nil)]
            .filter(\.1).map(\.0)
        guard given.count < 2 else {
            throw Refusal("\(given[0])= and \(given[1])= are two sources: leave one of them out")
        }
        guard csv != nil || (columns.isEmpty && unit == nil && timeUnit == nil) else {
            throw Refusal("Columns=, Unit= and TimeUnit= describe a file: add Csv=, or leave them out")
        }
        if !motions.isEmpty {
            return .motions(MotionSequence(motions, isRepeated: atEnd == .repeat, seed: seed))
        }
        if !samples.isEmpty { return .series(ValueSeries(samples, isRepeated: atEnd == .repeat)) }
        guard let csv else { return ValueSource(of: kind, seed: seed) }
        return .series(try csv.series(of: kind, columns, unit, timeUnit, isRepeated: atEnd == .repeat, files))
    }
}
