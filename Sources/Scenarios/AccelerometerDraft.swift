internal import Configuration
internal import Mock
internal import Readings

/// An `[accelerometer]` while it is read.
struct AccelerometerDraft {
    /// What happens behind the last motion or value.
    enum AtEnd: String {
        case `repeat`
        case hold
    }

    var rates = MockScript.handHeldNanoseconds
    var traits = ChipTraits()
    var atEnd = AtEnd.repeat
    var description: String?
    var motions: [MotionSequence.Part] = []
    var samples: [Acceleration] = []
    var csv: ColumnsDraft?
    var columns: [String] = []
    var unit: String?
    var timeUnit: String?

    /// What a chip in it measures; without a source it is in the hand of the seed.
    func script(seed: UInt64, _ files: ScenarioFiles) throws(Refusal) -> MockScript {
        var traits = traits
        traits.seed = seed
        let source = try source(seed: seed, files)
        return .accelerometer(
            in: source, traits, offeredNanoseconds: rates, description: description ?? words(source))
    }

    // How long a file is taken for shows whether its times are in the unit that they were taken for.
    private func words(_ source: AccelerationSource) -> String {
        guard let csv, case .series(let series) = source else { return "simulated accelerometer" }
        let length =
            series.seconds > 0
            ? " over \(TimeSpan(nanoseconds: Int64(exactly: (series.seconds * 1e3).rounded()).map { $0 &* 1_000_000 } ?? .max))"
            : ""
        return "\(series.count) values of \(csv.name)\(length)"
    }

    private func source(seed: UInt64, _ files: ScenarioFiles) throws(Refusal) -> AccelerationSource {
        let given = [("Motion", !motions.isEmpty), ("Samples", !samples.isEmpty), ("Csv", csv != nil)]
            .filter(\.1).map(\.0)
        guard given.count < 2 else {
            throw Refusal("\(given[0])= and \(given[1])= are two sources: leave one of them out")
        }
        guard csv != nil || (columns.isEmpty && unit == nil && timeUnit == nil) else {
            throw Refusal("Columns=, Unit= and TimeUnit= say what is in a file: add Csv=, or leave them out")
        }
        if !motions.isEmpty {
            return .motions(MotionSequence(motions, isRepeated: atEnd == .repeat, seed: seed))
        }
        if !samples.isEmpty { return .series(AccelerationSeries(samples, isRepeated: atEnd == .repeat)) }
        guard let csv else { return .hand(MockMotion(seed: seed)) }
        return .series(try csv.series(columns, unit, timeUnit, isRepeated: atEnd == .repeat, files))
    }
}
