internal import Devices
internal import Platform
internal import Readings

/// Which sensor a driver must open: the watch on the kernel's devices passes this to the device's thread.
final class SensorAssignment: Sendable {
    private struct State {
        var sighting: Sighting?
        var title: String?
        var unmetChoice: String?
        var channel: DeviceChannel?
        var names: [Quantity: ResourceName] = [:]
    }

    let kind: Kind
    private let state = Locked(State())

    /// An assignment of no sensor yet.
    init(_ kind: Kind = .acceleration) { self.kind = kind }

    /// The sensor, while it is there.
    var sighting: Sighting? { state.withLock { $0.sighting } }

    /// Its resource for what it measures; nil if it has none.
    func name(of quantity: Quantity) -> ResourceName? { state.withLock { $0.names[quantity] } }

    /// Records that the sensor has these resources.
    func serves(_ named: [SensorRoster.NamedQuantity]) {
        state.withLock { state in
            for one in named { state.names[one.quantity] = one.name }
        }
    }

    /// The name of the sensor for people, once there was one.
    var title: String? { state.withLock { $0.title } }

    /// The fault of a sensor that is not there.
    var absence: DeviceFault { state.withLock { DeviceFault(absent: $0.title, $0.unmetChoice, kind) } }

    /// Whether this appearance of the sensor is still there.
    func isPresent(_ appearance: Sighting.Appearance) -> Bool {
        state.withLock { $0.sighting?.appearance == appearance }
    }

    /// From now on, the thread behind the channel is woken at changes.
    func attach(_ channel: DeviceChannel) { state.withLock { $0.channel = channel } }

    /// The sensor has come, changed or gone.
    func update(_ sighting: Sighting?) {
        let channel = state.withLock { state in
            state.sighting = sighting
            state.title = sighting?.title ?? state.title
            return state.channel
        }
        channel?.request(.look)
    }

    /// The sensor was chosen and is not there, as text for people; nil: it is there, or it was not chosen.
    func update(_ unmetChoice: String?) {
        let channel = state.withLock { state in
            guard state.unmetChoice != unmetChoice else { return DeviceChannel?.none }
            state.unmetChoice = unmetChoice
            return state.channel
        }
        channel?.request(.look)
    }
}
