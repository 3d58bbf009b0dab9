/// Shortens a failing scenario: leaves out everything without which it still fails.
public enum Shrinker {
    /// The shortest part found that still breaks the same invariant.
    public static func shrink(_ scenario: Scenario) -> Scenario {
        guard let invariant = Simulation.run(scenario).violation?.invariant else { return scenario }
        var shortest = scenario
        var length = max(1, shortest.steps.count / 2)
        while true {
            let before = shortest.steps.count
            var start = 0
            while start < shortest.steps.count {
                var candidate = shortest
                candidate.steps.removeSubrange(start..<min(start + length, candidate.steps.count))
                if Simulation.run(candidate).violation?.invariant == invariant {
                    shortest = candidate
                } else {
                    start += length
                }
            }
            if length == 1, shortest.steps.count == before { return joined(shortest, invariant) }
            length = max(1, length / 2)
        }
    }

    /// Joins two stretches of time into one, wherever the same invariant still breaks.
    private static func joined(_ scenario: Scenario, _ invariant: Invariant) -> Scenario {
        var shortest = scenario
        var index = 0
        while index + 1 < shortest.steps.count {
            var candidate = shortest
            if case .run(let first) = candidate.steps[index], case .run(let second) = candidate.steps[index + 1] {
                candidate.steps.replaceSubrange(index...index + 1, with: [.run(first + second)])
                if Simulation.run(candidate).violation?.invariant == invariant {
                    shortest = candidate
                    continue
                }
            }
            index += 1
        }
        return shortest
    }
}
