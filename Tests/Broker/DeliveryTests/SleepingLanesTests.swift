import Readings
import Simulation
import Testing

@testable import Delivery

/// A lane that sleeps sends what it would have sent awake: a resource beside lanes that never sleep, with the same events.
@Suite("A resource whose lanes sleep") struct SleepingLanesTests {
    @Test("sends what it would send if none slept, whatever happens", arguments: 0..<30 as Range<UInt64>)
    func random(seed: UInt64) { _ = sameAsAwake(Twins(seed: seed)) }

    @Test("takes runs of samples as it would take the samples, and many of them together")
    func runs() {
        var (taken, offered) = (0, 0)
        for seed: UInt64 in 0..<60 {
            let twins = sameAsAwake(Twins(seed: seed, isGreedy: true))
            (taken, offered) = (taken + twins.taken, offered + twins.offered)
        }
        #expect(taken > offered / 5, "\(taken) of \(offered)")
    }

    /// Has things happen at random, until there is a difference.
    private func sameAsAwake(_ twins: consuming Twins) -> Twins {
        for step in 0..<200 {
            let event = twins.step()
            guard let difference = twins.difference() else { continue }
            Issue.record("after \(event) at step \(step): \(difference)")
            break
        }
        return twins
    }

    @Test("offers a sample to a handful of a thousand lanes")
    func few() {
        var resource = Twins.openResource()
        for client in 0..<1_000 {
            let grant = Twins.grant(interval: Int64(client + 10) * Twins.period, within: resource.limits)
            _ = resource.join(Client(client), grant, now: BootTime(nanoseconds: 0))
        }
        var (offered, delivered) = (0, 0)
        for index in 0..<3_000 {
            let sample = Samples.acceleration(UInt64(index), at: Int64(index) * Twins.period)
            resource.accept(sample, now: sample.timestamp)
            if index > 0 { offered += resource.lanes.sleepers.awake.count }
            resource.sendOutgoing { delivered += $0.readings.count }
        }
        #expect(delivered > 12_000, "each lane gets its own")
        #expect(offered < delivered + 1_000, "nobody wakes who gets nothing")
    }

    @Test("wakes none of a thousand for one that comes, or goes")
    func others() {
        var resource = Twins.openResource()
        func join(_ client: Int) {
            let grant = Twins.grant(interval: Int64(client + 10) * Twins.period, within: resource.limits)
            _ = resource.join(Client(client), grant, now: BootTime(nanoseconds: 0))
        }
        for client in 0..<1_000 { join(client) }
        for index in 0..<2 {
            let sample = Samples.acceleration(UInt64(index), at: Int64(index) * Twins.period)
            resource.accept(sample, now: sample.timestamp)
            resource.sendOutgoing { _ in }
        }
        #expect(resource.lanes.sleepers.awake.isEmpty)
        join(1_000)
        #expect(resource.lanes.sleepers.awake == [1_000])
        _ = resource.leave(Client(0))
        #expect(resource.lanes.sleepers.awake == [999] && resource.lanes.count == 1_000)
        #expect(resource.lanes.sleepers.firstDue == BootTime(nanoseconds: 11 * Twins.period))
    }
}
