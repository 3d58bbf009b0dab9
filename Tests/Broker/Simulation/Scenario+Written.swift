internal import Delivery
internal import Mock
internal import Readings

extension Scenario {
    /// Scenarios of what chance hardly ever brings about.
    public static let written = [silenceBeforeChange]

    /// The only device falls silent while its only client, which wants changes, has one to come: nothing else wakes the broker
    /// for that.
    static let silenceBeforeChange: Scenario = {
        let millisecond: Int64 = 1_000_000
        var dice = Dice(seed: 1)
        var device = DeviceTraits(&dice, seed: 3)
        (device.kind, device.usualPeriod, device.delay, device.grace) = (.acceleration, 10 * millisecond, 0, 0)
        device.offered = .fixed(shortestNanoseconds: 10 * millisecond)
        (device.drift, device.jitter, device.misreading, device.timerLateness) = (0, 0, 1, 0)
        (device.tellsPeriod, device.usesLatency) = (true, false)
        var ask = Ask(interval: 400 * millisecond)
        ask.minimumChange = 0.1
        let steps: [Step] = [
            .join(client: 1, ask), .run(105 * millisecond), .fault(.stall, 6_000 * millisecond),
            .run(5_000 * millisecond), .wake(client: 1),
        ]
        return Scenario(seed: device.seed, device: device, steps: steps)
    }()
}
