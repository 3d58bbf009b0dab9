internal import Mock
internal import Readings

/// The sensors of a scenario's host while their scripts are made: which of them move together, and where.
struct HostSensors {
    /// A section and the line where it begins.
    typealias Sensor = (name: ResourceName, line: Int, draft: ValuesDraft)

    private let sensors: [Sensor]
    private let indices: [String: Int]
    /// By the devices of which they are part.
    private let thermometers: [String: Int]
    private let seed: UInt64
    private let field: SurroundingField
    private let files: ScenarioFiles
    /// The first motion that is described, or a hand's.
    private let motion: HostMotion
    /// Those of sensors, as far as they are known.
    private var motions: [ResourceName: HostMotion] = [:]

    /// Creates the sensors of a host that is where its receiver is.
    init(_ sensors: [Sensor], at location: Location?, seed: UInt64, _ files: ScenarioFiles) {
        self.sensors = sensors
        self.seed = seed
        self.files = files
        field = SurroundingField(at: location)
        let indices = sensors.indices
        self.indices = Dictionary(indices.map { (sensors[$0].name.description, $0) }) { first, _ in first }
        thermometers = Dictionary(
            indices.filter { sensors[$0].draft.kind == .temperature }.map { (Self.device(of: sensors[$0]), $0) }
        ) { first, _ in first }
        let described = sensors.lazy.filter { $0.draft.mountedOn == nil }.compactMap { $0.draft.sequence(seed: seed) }
        motion = described.first.map { HostMotion($0) } ?? .held(seed: seed)
    }

    /// The script of a sensor, by its index among them.
    mutating func script(_ index: Int) throws(Refusal) -> MockScript {
        let sensor = sensors[index]
        return try sensor.draft.script(
            seed: seed(index), on: try motion(of: sensor), in: field, temperature: try temperature(of: sensor), files)
    }

    /// A different seed for the noise of each, so that two of a kind are not in step.
    private func seed(_ index: Int) -> UInt64 { seed &+ UInt64(index) &* 2 &+ 1 }

    /// The motion of a sensor: its own, on what it is mounted on, if there is that; else its device's or the host's.
    private mutating func motion(
        of sensor: Sensor, after former: [ResourceName] = []
    ) throws(Refusal) -> HostMotion {
        if let known = motions[sensor.name] { return known }
        let motion = try newMotion(of: sensor, after: former)
        motions[sensor.name] = motion
        return motion
    }

    private mutating func newMotion(of sensor: Sensor, after former: [ResourceName]) throws(Refusal) -> HostMotion {
        let own = sensor.draft.sequence(seed: seed)
        let former = former + [sensor.name]
        if let text = sensor.draft.mountedOn {
            func mayCarry(_ other: Sensor) -> Bool {
                MotionSense.has(other.draft.kind) && !former.contains(other.name)
            }
            guard let index = indices[text], mayCarry(sensors[index]) else {
                let known = sensors.filter(mayCarry).map(\.name.description).joined(separator: " or ")
                throw Refusal(
                    text, isNo: "sensor to move with", write: known.isEmpty ? "a section for one" : known)
            }
            let motion = try motion(of: sensors[index], after: former)
            return own.map { motion.carrying($0) } ?? motion
        }
        if let own { return HostMotion(own) }
        if let index = sensor.draft.partOf.flatMap({ indices[$0] }), sensors[index].draft.partOf == nil {
            return try motion(of: sensors[index], after: former)
        }
        return motion
    }

    private static func device(of sensor: Sensor) -> String { sensor.draft.partOf ?? sensor.name.description }

    /// What the thermometer of a sensor's own device measures, else the first one; nil if there is none.
    private func temperature(of sensor: Sensor) throws(Refusal) -> ValueSource? {
        guard sensor.draft.driftPerDegree != nil else { return nil }
        guard let index = thermometers[Self.device(of: sensor)] ?? thermometers.values.min() else { return nil }
        return try sensors[index].draft.source(seed: seed(index), on: .held(seed: seed), in: field, files)
    }
}
