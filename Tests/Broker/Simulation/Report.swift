/// The result of a number of runs.
public struct Report: Sendable {
    /// The number of scenarios.
    public private(set) var scenarios = 0
    /// Simulated hours.
    public var hours: Double { Double(nanoseconds) / 3.6e12 }
    /// Readings delivered to clients.
    public private(set) var readings = 0
    /// Invariants checked.
    public private(set) var checks = 0
    /// The seed, the violation, and the shortest script that shows it; nil if every invariant held.
    public private(set) var failure: String?
    private var nanoseconds: Int64 = 0

    /// A report without runs.
    public init() {}

    /// Runs the scenario of a seed; a failure is shrunk, and the trace gets the events of the shortest script.
    public mutating func run(seed: UInt64, trace: ((String) -> Void)? = nil) {
        run(Scenario(seed: seed), trace: trace)
    }

    /// Runs a scenario.
    public mutating func run(_ scenario: Scenario, trace: ((String) -> Void)? = nil) {
        let outcome = Simulation.run(scenario)
        scenarios += 1
        nanoseconds += outcome.nanoseconds
        readings += outcome.readings
        checks += outcome.checks
        guard let violation = outcome.violation else { return }
        let shortest = Shrinker.shrink(scenario)
        let shown = Simulation.run(shortest, trace: trace).violation ?? violation
        failure = "\(violation)\nshortest: \(shown)\n\(shortest)"
    }
}
