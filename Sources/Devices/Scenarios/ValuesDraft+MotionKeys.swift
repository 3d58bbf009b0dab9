internal import Configuration
internal import Devices
internal import Mock

/// The keys of sensors that move, and of what is wrong with a sensor.
extension ValuesDraft {
    static let moving: [ScenarioKey<Self>] = [
        ScenarioKey("Motion", isRepeated: true) { (text, draft, _) throws(Refusal) in
            guard draft.motions.count < 10_000 else { throw Refusal("is one too many: 10000 at most") }
            draft.motions.append(try Motions.part(text))
        },
        ScenarioKey("MountedOn") { (text, draft, _) throws(Refusal) in draft.mountedOn = text },
    ]

    static let mounted: [ScenarioKey<Self>] = [
        ScenarioKey("MountMatrix") { (text, draft, _) throws(Refusal) in
            do throws(MountMatrix.Refusal) { draft.traits.mounted = MountedAxes(try MountMatrix(text: text)) } catch {
                throw Refusal(
                    "has \(ConfigurationProblem.excerpt(error.words, length: 160)); write three rows of three, "
                        + "such as 0, 1, 0; -1, 0, 0; 0, 0, 1")
            }
        }
    ]

    static let biased: [ScenarioKey<Self>] = [
        ScenarioKey("Bias") { (text, draft, _) throws(Refusal) in
            draft.traits.bias = try Numbers.vector(text, of: draft.kind)
        },
        ScenarioKey("TemperatureDrift") { (text, draft, _) throws(Refusal) in
            draft.driftPerDegree = try Numbers.vector(text, of: draft.kind)
        },
    ]

    static let magnetic: [ScenarioKey<Self>] = [
        ScenarioKey("Disturbance", isRepeated: true) { (text, draft, _) throws(Refusal) in
            draft.disturbances.append(try Disturbance(text))
        }
    ]
}
