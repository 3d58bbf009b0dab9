import Platform
import Readings
import Testing
import Varlink

@testable import Devices

/// What is derived from two devices of which one goes and comes.
@Suite(.timeLimit(.minutes(30))) struct DerivedSourcesTests {
    private func open(_ channel: DeviceChannel, along axes: DeviceProfile.Axes = .device) {
        channel.send(.opened)
        var profile = DeviceProfile(
            offered: .discrete([10_000_000]), intervalNanoseconds: 10_000_000, description: nil, simulated: true)
        profile.axes = axes
        channel.send(.profile(profile))
        channel.send(.state(.active))
    }

    /// What a stream carries up to a word: states, and readings.
    private func received(_ client: inout BrokerClient, until last: String) throws -> [String] {
        var received: [String] = []
        while !received.contains(last) {
            let answer = try client.answer()
            for resource in try answer.optionalObjects("resources") ?? [] {
                received.append(try resource.string("state"))
            }
            for _ in try answer.optionalObjects("readings") ?? [] { received.append("reading") }
        }
        return received
    }

    @Test("nothing is sent of one device's readings while the other is gone")
    func oneGone() throws {
        let broker = try ServedBroker()
        let gyroscope = try StartedChannel.announce(
            Kind.angularVelocity.row.firstResource, .angularVelocity, to: broker)
        var (rates, accelerations) = (Intake(), Intake())
        var time = Clock.bootNanoseconds() + 60_000_000_000
        func yield(_ count: Int, withAccelerations: Bool) throws {
            for _ in 0..<count {
                time += 10_000_000
                if withAccelerations {
                    accelerations.append(
                        .values(Values(.acceleration, SIMD4(0, 0, 9.81, 0))), at: BootTime(nanoseconds: time))
                    broker.channel.send(&accelerations)
                }
                rates.append(.values(Values(.angularVelocity, .zero)), at: BootTime(nanoseconds: time))
                gyroscope.send(&rates)
                var other = try BrokerClient(broker)
                try other.settle()
            }
        }
        var client = try BrokerClient(broker)
        client.send("Subscribe", ["requests": [["resource": "gravity", "intervalNanoseconds": 0]]], mode: .more)
        _ = try client.answer()
        for channel in [broker.channel, gyroscope] { open(channel) }
        try yield(60, withAccelerations: true)
        _ = try received(&client, until: "reading")
        broker.channel.send(.state(.released))
        _ = try received(&client, until: "released")
        try yield(5, withAccelerations: false)
        accelerations.restart()
        open(broker.channel)
        try yield(60, withAccelerations: true)
        let words = try received(&client, until: "active")
        #expect(!words.contains("reading"), "\(words)")
        #expect(try received(&client, until: "reading") == ["reading"])
    }

    @Test("nothing is sent of two devices of which only one is known how it is mounted, and a call gets the reason")
    func mountedOtherwise() throws {
        let broker = try ServedBroker()
        let gyroscope = try StartedChannel.announce(
            Kind.angularVelocity.row.firstResource, .angularVelocity, to: broker)
        var client = try BrokerClient(broker)
        client.send("Read", ["resource": "gravity"])
        try client.settleOthers(of: broker)
        open(gyroscope, along: .chip)
        open(broker.channel)
        guard case .failure(let error) = try client.reply() else {
            Issue.record("a reading")
            return
        }
        #expect("\(error)".contains("has a mount matrix"))
    }
}

extension BrokerClient {
    /// Waits until the broker has taken what this client has sent.
    fileprivate func settleOthers(of broker: ServedBroker) throws {
        var other = try BrokerClient(broker)
        try other.settle()
    }
}
