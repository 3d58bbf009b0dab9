import Devices
import Readings
import Synchronization
import Testing

/// The channel of a device that was announced, and whose thread is the test.
final class StartedChannel: Sendable {
    private let channel = Mutex<DeviceChannel?>(nil)

    /// Announces a resource of a device of its own, and returns its channel as soon as it is served.
    static func announce(_ name: ResourceName, _ kind: Kind, to broker: ServedBroker) throws -> DeviceChannel {
        let started = StartedChannel()
        broker.arrivals.announce(
            ResourceArrival(name: name, kind: kind, isSimulated: true) { channel in
                started.channel.withLock { $0 = channel }
            })
        var client = try BrokerClient(broker)
        try client.settle()
        return try #require(started.channel.withLock { $0 })
    }
}
