internal import Mock
internal import Readings

/// The sensors of a scenario's host while their scripts are made: which of them move together, and where.
struct HostSensors {
    /// A section and the line where it begins.
    typealias Sensor = (name: ResourceName, line: Int, draft: ValuesDraft)

    private let sensors: [Sensor]
    private let seed: UInt64
    private let field: SurroundingField
    private let files: ScenarioFiles

    /// Creates the sensors of a host that is where its receiver is.
    init(_ sensors: [Sensor], at location: Location?, seed: UInt64, _ files: ScenarioFiles) {
        self.sensors = sensors
        self.seed = seed
        self.files = files
        field = SurroundingField(at: location)
    }

    /// The script of a sensor, by its index among them.
    func script(_ index: Int) throws(Refusal) -> MockScript {
        let sensor = sensors[index]
        return try sensor.draft.script(
            seed: seed(index), on: try motion(of: sensor), in: field, temperature: try temperature(of: sensor), files)
    }

    /// A different seed for the noise of each, so that two of a kind are not in step.
    private func seed(_ index: Int) -> UInt64 { seed &+ UInt64(index) &* 2 &+ 1 }

    /// The motion of a sensor: its own, on what it is mounted on, if there is that; else its device's or the host's.
    private func motion(of sensor: Sensor, after former: [ResourceName] = []) throws(Refusal) -> HostMotion {
        let own = sensor.draft.sequence(seed: seed)
        if let text = sensor.draft.mountedOn {
            let others = sensors.filter { $0.name != sensor.name && MotionSense.has($0.draft.kind) }
            guard let carrier = others.first(where: { $0.name.description == text }),
                !former.contains(carrier.name)
            else {
                let known = others.map(\.name).filter { !former.contains($0) }.map(\.description).joined(
                    separator: " or ")
                throw Refusal(
                    text, isNo: "sensor to move with", write: known.isEmpty ? "a section for one" : known)
            }
            let motion = try motion(of: carrier, after: former + [sensor.name])
            return own.map { motion.carrying($0) } ?? motion
        }
        if let own { return HostMotion(own) }
        if let owner = sensors.first(where: { $0.name.description == sensor.draft.partOf }), owner.draft.partOf == nil {
            return try motion(of: owner, after: former + [sensor.name])
        }
        // The host's is the first one that is described, or a hand's.
        let described = sensors.first { $0.draft.mountedOn == nil && !$0.draft.motions.isEmpty }
        return described.flatMap { $0.draft.sequence(seed: seed) }.map { HostMotion($0) } ?? .held(seed: seed)
    }

    /// What the thermometer of a sensor's own device measures, else the first one; nil if there is none.
    private func temperature(of sensor: Sensor) throws(Refusal) -> ValueSource? {
        guard sensor.draft.driftPerDegree != nil else { return nil }
        let device = sensor.draft.partOf ?? sensor.name.description
        let thermometers = sensors.indices.filter { sensors[$0].draft.kind == .temperature }
        let near = thermometers.first { sensors[$0].draft.partOf == device || sensors[$0].name.description == device }
        guard let index = near ?? thermometers.first else { return nil }
        return try sensors[index].draft.source(seed: seed(index), on: .held(seed: seed), in: field, files)
    }
}
