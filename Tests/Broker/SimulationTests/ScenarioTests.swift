import Mock
import Readings
import Testing

@testable import Simulation

/// Scenarios that a fuzzer found.
@Suite struct ScenarioTests {
    /// If the broker stands still, the source seems silent to it: a reading is early then, but it is the one for its due time.
    @Test("stalls that follow one another give readings that are early, and none too many")
    func stalls() {
        let millisecond: Int64 = 1_000_000
        var dice = Dice(seed: 1)
        var device = DeviceTraits(&dice, seed: 3)
        (device.kind, device.usualPeriod, device.delay, device.grace) = (.acceleration, millisecond, 0, 0)
        device.offered = .fixed(shortestNanoseconds: millisecond)
        (device.drift, device.jitter, device.misreading, device.timerLateness) = (0, 0, 1, 0)
        (device.tellsPeriod, device.usesLatency) = (true, false)
        func run(stall: Int64) -> (readings: Int, trace: [String]) {
            var steps: [Step] = [.join(client: 1, Ask(interval: 100 * millisecond)), .run(530 * millisecond)]
            for _ in 0..<3 { steps += [.fault(.late, stall * millisecond), .run(130 * millisecond)] }
            steps.append(.run(2_000 * millisecond))
            var trace: [String] = []
            let scenario = Scenario(seed: device.seed, device: device, steps: steps)
            let outcome = Simulation.run(scenario) { if $0.contains(" gets ") { trace.append($0) } }
            #expect(outcome.violation == nil)
            return (outcome.readings, trace)
        }
        let (calm, stalled) = (run(stall: 0), run(stall: 120))
        #expect(calm.readings > 20 && stalled.readings == calm.readings)
        // Three are early, and the last one that was due meanwhile comes late.
        #expect(zip(calm.trace, stalled.trace).count { $0 != $1 } == 4)
        #expect(calm.trace.last == stalled.trace.last)
    }

    @Test("a batch from before the device became faster is sent as granted")
    func batchAcrossPaces() {
        let second: Int64 = 1_000_000_000
        var dice = Dice(seed: 1)
        var device = DeviceTraits(&dice, seed: 11_945_606_864_188_081_111)
        (device.kind, device.usualPeriod, device.delay, device.grace) = (.acceleration, second, 0, 0)
        device.offered = .range(shortestNanoseconds: second / 2, longestNanoseconds: 50 * second)
        (device.drift, device.jitter, device.misreading, device.timerLateness) = (-0.003, 0.15, 0.96, 1_880)
        (device.tellsPeriod, device.usesLatency) = (true, false)
        var batched = Ask(interval: 2 * second)
        batched.batch = 8 * second
        var fast = Ask(interval: second / 10)
        (fast.batch, fast.minimumChange) = (2 * second / 5, 2.5)
        let steps: [Step] = [
            .run(45_513_266_956), .join(client: 1, batched), .run(1_162_099_134), .fault(.stall, 1_656_169_193),
            .run(27_300_788_842), .join(client: 5, fast), .run(77_191_020_715),
        ]
        let outcome = Simulation.run(Scenario(seed: device.seed, device: device, steps: steps))
        #expect(outcome.violation == nil)
        #expect(outcome.readings > 40)
    }
}
