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
    var noise: Double?
    /// By how much its bias grows with each degree of its thermometer.
    var driftPerDegree: SIMD4<Double>?
    var disturbances: [Disturbance] = []
    var atEnd = AtEnd.repeat
    var description: String?
    var motions: [MotionSequence.Part] = []
    /// The section of the sensor with which it moves, as a part of it or on it.
    var mountedOn: String?
    var samples: [Values] = []
    var csv = ColumnsDraft()

    init(_ kind: Kind) { self.kind = kind }

    /// The script of the sensor; without values of its own, its motion decides what it measures, or else its kind.
    func script(
        seed: UInt64, on motion: HostMotion, in field: SurroundingField, temperature: ValueSource?,
        _ files: ScenarioFiles
    ) throws(Refusal) -> MockScript {
        let source = try source(seed: seed, on: motion, in: field, files)
        var traits = traits
        traits.seed = seed
        traits.noise = noise ?? (kind == .acceleration && !isDescribed ? MockScript.handHeldNoise : 0)
        if let driftPerDegree {
            guard let temperature else {
                throw Refusal("TemperatureDrift= needs a thermometer: add a [temperature], or leave it out")
            }
            traits.drift = (driftPerDegree, temperature)
        }
        // A motion is that of the device, whatever the axes of the chip.
        if case .motion = source { traits.mounted = nil }
        return .values(
            of: kind, from: source, traits, offeredNanoseconds: rates ?? MockScript.handHeldNanoseconds,
            description: description ?? words(source))
    }

    /// Whether anything is stated of what it measures.
    private var isDescribed: Bool { !motions.isEmpty || mountedOn != nil || !samples.isEmpty || csv.name != nil }

    // A description of the source; the duration of a file shows whether its times were read in the right unit.
    private func words(_ source: ValueSource) -> String {
        guard let file = csv.name, case .series(let series) = source else { return "simulated \(kind.row.resource)" }
        let length =
            series.seconds > 0
            ? " over \(TimeSpan(nanoseconds: Int64(exactly: (series.seconds * 1e3).rounded()).map { $0 &* 1_000_000 } ?? .max))"
            : ""
        return "\(series.count) values of \(file)\(length)"
    }

    func source(
        seed: UInt64, on motion: HostMotion, in field: SurroundingField, _ files: ScenarioFiles
    ) throws(Refusal) -> ValueSource {
        let given = [("Motion", !motions.isEmpty), ("Samples", !samples.isEmpty), ("Csv", csv.name != nil)]
            .filter(\.1).map(\.0)
        guard given.count < 2 else {
            throw Refusal("\(given[0])= and \(given[1])= are two sources: leave one of them out")
        }
        guard csv.name != nil || csv == ColumnsDraft() else {
            throw Refusal("Columns=, Unit= and TimeUnit= describe a file: add Csv=, or leave them out")
        }
        if !samples.isEmpty { return .series(ValueSeries(samples, isRepeated: atEnd == .repeat)) }
        if let file = csv.name {
            return .series(try csv.series(in: file, of: kind, isRepeated: atEnd == .repeat, files))
        }
        var field = field
        for disturbance in disturbances { disturbance.put(into: &field) }
        return ValueSource(of: kind, on: motion, in: field, seed: seed)
    }

    func sequence(seed: UInt64) -> MotionSequence? {
        motions.isEmpty ? nil : MotionSequence(motions, isRepeated: atEnd == .repeat, seed: seed)
    }
}
