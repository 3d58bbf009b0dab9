import HostSimulation
import Testing

@Suite("A simulated host") struct HostSimulationTests {
    private func run(_ seed: UInt64) {
        let outcome = HostSimulation.run(HostScenario(seed: seed))
        #expect(outcome.violation == nil, "seed \(seed)")
        #expect(outcome.checks > 1_000)
    }

    @Test("tells its clients what its sensors, its programs and what follows from them did", arguments: 0..<4)
    func fixedSeeds(seed: UInt64) { run(seed) }

    /// Other seeds in every run; a failure names the seed.
    @Test("does so whatever comes", arguments: (0..<2).map { _ in UInt64.random(in: 0..<1 << 48) })
    func freshSeeds(seed: UInt64) { run(seed) }

    @Test("depends only on the seed")
    func deterministic() {
        let (first, second) = (HostSimulation.run(HostScenario(seed: 7)), HostSimulation.run(HostScenario(seed: 7)))
        #expect(first.readings == second.readings && first.checks == second.checks)
        #expect(first.nanoseconds == second.nanoseconds)
    }
}
