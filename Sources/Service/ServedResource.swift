internal import Delivery
internal import Devices
internal import Readings

/// A resource with its device behind it and the calls that wait for it.
final class ServedResource {
    /// Who gets what of it, when.
    var core: Resource
    /// The way to its device's thread.
    let channel: DeviceChannel
    /// Calls of `Read` that wait for a new sample.
    var reads: [PendingRead] = []
    /// True where a mock or a replay makes the samples, as far as is known before the device was opened.
    let isSimulated: Bool

    init(_ core: Resource, _ channel: DeviceChannel, isSimulated: Bool) {
        self.core = core
        self.channel = channel
        self.isSimulated = isSimulated
    }
}
