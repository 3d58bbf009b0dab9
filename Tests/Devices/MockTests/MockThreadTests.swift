import Devices
import Mock
import Platform
import Readings
import Testing

@Suite struct MockThreadTests {
    @Test("with a device thread and the real clocks, both deliver without a loss")
    func delivers() throws {
        let accelerometer = try DeviceChannel()
        let location = try DeviceChannel()
        try DeviceThread.start(name: "accelerometer", channel: accelerometer, seed: 1) {
            MockDevice(.handHeld(seed: 1))
        }
        try DeviceThread.start(name: "location", channel: location, seed: 1) { MockDevice(.driving(seed: 1)) }
        accelerometer.setDemand(Demand(intervalNanoseconds: 1_000_000, latencyNanoseconds: 10_000_000))
        location.setDemand(Demand(intervalNanoseconds: 100_000_000))
        try Self.expect(100, from: accelerometer, .acceleration, spacing: 1_000_000)
        try Self.expect(3, from: location, .location, spacing: 100_000_000)
        for channel in [accelerometer, location] {
            channel.request(.stop)
            #expect(channel.waitUntilStopped(nanoseconds: 30_000_000_000))
        }
    }

    private static func expect(
        _ count: Int, from channel: DeviceChannel, _ kind: Kind, spacing: Int64
    ) throws {
        var samples: [Sample] = []
        var events: [DeviceEvent] = []
        while samples.count < count {
            try #require(Wait.untilReadable(channel.wakeDescriptor, nanoseconds: 30_000_000_000).first)
            channel.take(into: &events)
            for case .sample(let sample) in events.apart { samples.append(sample) }
        }
        #expect(samples.allSatisfy { $0.measurement.kind == kind })
        // A busy host may be late by more than a second; then numbers and stamps jump together.
        for (one, next) in zip(samples, samples.dropFirst()) {
            #expect(next.timestamp - one.timestamp == Int64(next.sequence - one.sequence) * spacing)
        }
    }
}
