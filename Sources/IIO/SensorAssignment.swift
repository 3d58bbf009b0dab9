internal import Devices
internal import Platform

/// Which sensor a driver is to open: what the watch on the kernel's devices tells the device's thread.
final class SensorAssignment: Sendable {
    private struct State {
        var sighting: Sighting?
        var title: String?
        var channel: DeviceChannel?
    }

    private let state = Locked(State())

    /// The sensor, while it is there.
    var sighting: Sighting? { state.withLock { $0.sighting } }

    /// What the sensor is called, once there was one; for people.
    var title: String? { state.withLock { $0.title } }

    /// Whether this appearance of the sensor is still the one that is there.
    func isPresent(_ appearance: SensorAppearance) -> Bool { state.withLock { $0.sighting?.appearance == appearance } }

    /// From now on the thread behind the channel is told of changes.
    func attach(_ channel: DeviceChannel) { state.withLock { $0.channel = channel } }

    /// The sensor has come, changed or gone.
    func update(_ sighting: Sighting?) {
        let channel = state.withLock { state in
            state.sighting = sighting
            state.title = sighting?.title ?? state.title
            return state.channel
        }
        channel?.requestLook()
    }
}
