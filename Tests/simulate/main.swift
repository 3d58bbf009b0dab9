import Glibc
import Simulation

// simulate SECONDS [SEED]: fresh seeds for so long; or the one, with what happens if it fails.
let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 10
var report = Report()
let clock = ContinuousClock()
let start = clock.now
if let seed = CommandLine.arguments.dropFirst(2).first.flatMap({ UInt64($0) }) {
    report.run(seed: seed) { print($0) }
} else {
    var generator = SystemRandomNumberGenerator()
    while report.failure == nil, clock.now - start < .seconds(seconds) { report.run(seed: generator.next() >> 16) }
}
let elapsed = (clock.now - start) / .seconds(1)
print(
    "\(report.scenarios) scenarios, \(report.hours) simulated hours, \(report.readings) readings, \(report.checks) checks, "
        + "\(Int(Double(report.checks) / elapsed)) checks a second")
if let failure = report.failure {
    print(failure)
    exit(1)
}
