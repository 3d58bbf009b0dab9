import Simulation
import Testing

@Suite("Simulated delivery") struct SimulationTests {
    @Test("keeps every invariant", arguments: 0..<8)
    func fixedSeeds(part: UInt64) {
        var report = Report()
        for seed in part * 12..<(part + 1) * 12 where report.failure == nil { report.run(seed: seed) }
        #expect(report.failure == nil, Comment(rawValue: report.failure ?? ""))
        #expect(report.checks > 10_000)
    }

    /// Other seeds in every run; a failure names the seed.
    @Test("keeps every invariant whatever comes", arguments: (0..<8).map { _ in UInt64.random(in: 0..<1 << 48) })
    func freshSeeds(first: UInt64) {
        var report = Report()
        for seed in first..<first + 25 where report.failure == nil { report.run(seed: seed) }
        #expect(report.failure == nil, Comment(rawValue: report.failure ?? ""))
        #expect(report.checks > 10_000)
    }

    @Test("keeps every invariant in scripts that once violated one", arguments: Scenario.formerFindings)
    func formerFindings(seed: UInt64) {
        var report = Report()
        report.run(seed: seed)
        #expect(report.failure == nil, Comment(rawValue: report.failure ?? ""))
    }

    @Test("keeps every invariant in what chance hardly ever brings about", arguments: Scenario.written.indices)
    func written(index: Int) {
        let outcome = Simulation.run(Scenario.written[index])
        #expect(outcome.violation == nil)
        #expect(outcome.readings > 1)
    }

    @Test("depends only on the seed")
    func deterministic() {
        let first = Simulation.run(Scenario(seed: 7))
        let second = Simulation.run(Scenario(seed: 7))
        #expect(Scenario(seed: 7) == Scenario(seed: 7))
        #expect(first.checks == second.checks && first.readings == second.readings)
        #expect(first.nanoseconds == second.nanoseconds)
    }
}
