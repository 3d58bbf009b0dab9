import Glibc
import HostSimulation

// simulate-host SECONDS [SEED]: fresh seeds for so long; or the one, with what happens.
let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 10
let one = CommandLine.arguments.dropFirst(2).first.flatMap { UInt64($0) }
let clock = ContinuousClock()
let start = clock.now
var seed = one ?? UInt64.random(in: 0..<1 << 48)
var (scenarios, readings, checks) = (0, 0, 0)
var simulatedSeconds = 0.0
print("seeds from \(seed)")
fflush(nil)
repeat {
    let outcome = HostSimulation.run(HostScenario(seed: seed), trace: one == nil ? nil : { print($0) })
    scenarios += 1
    (readings, checks) = (readings + outcome.readings, checks + outcome.checks)
    simulatedSeconds += Double(outcome.nanoseconds) / 1e9
    if let violation = outcome.violation {
        print("seed \(seed): \(violation)")
        exit(1)
    }
    seed += 1
} while one == nil && clock.now - start < .seconds(seconds)
print(
    "\(scenarios) hosts, \((simulatedSeconds / 360).rounded() / 10) simulated hours, \(readings) readings, \(checks) checks"
)
