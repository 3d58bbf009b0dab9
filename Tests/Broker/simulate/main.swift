import Glibc
import Simulation

// simulate SECONDS [SEED]: scenarios written by hand, former findings, then fresh seeds for so long; or the one, with what happens if it fails.
let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 10
var report = Report()
let clock = ContinuousClock()
let start = clock.now
if let seed = CommandLine.arguments.dropFirst(2).first.flatMap({ UInt64($0) }) {
    report.run(seed: seed) { print($0) }
} else {
    let first = UInt64.random(in: 0..<1 << 48)
    var seed = first
    print("seeds from \(first)")
    // Written out before anything can trap.
    fflush(nil)
    for scenario in Scenario.written where report.failure == nil { report.run(scenario) }
    for seed in Scenario.formerFindings where report.failure == nil { report.run(seed: seed) }
    while report.failure == nil, clock.now - start < .seconds(seconds) {
        report.run(seed: seed)
        seed += 1
    }
}
let elapsed = (clock.now - start) / .seconds(1)
let hours = (report.hours * 10).rounded() / 10
print(
    "\(report.scenarios) scenarios, \(hours) simulated hours, \(report.readings) readings, \(report.checks) checks, "
        + "\(Int(Double(report.checks) / elapsed)) checks a second")
if let failure = report.failure {
    print(failure)
    exit(1)
}
