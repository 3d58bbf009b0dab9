internal import Devices
internal import Platform
internal import Readings

/// Which sensor a driver is to open: what the watch on the kernel's devices tells the device's thread.
final class SensorAssignment: Sendable {
    private struct State {
        var sighting: Sighting?
        var title: String?
        var unmetChoice: UnmetChoice?
        var channel: DeviceChannel?
        var names: [Kind: ResourceName] = [:]
    }

    /// What it measures.
    let kind: Kind
    private let state = Locked(State())

    /// An assignment of no sensor yet.
    init(_ kind: Kind = .acceleration) { self.kind = kind }

    /// The sensor, while it is there.
    var sighting: Sighting? { state.withLock { $0.sighting } }

    /// Its resource of a kind; nil where it has none.
    func name(of kind: Kind) -> ResourceName? { state.withLock { $0.names[kind] } }

    /// The sensor has these resources.
    func serves(_ seats: [SensorRoster.Seat]) {
        state.withLock { state in
            for seat in seats { state.names[seat.kind] = seat.name }
        }
    }

    /// What the sensor is called, once there was one; for people.
    var title: String? { state.withLock { $0.title } }

    /// The fault of a sensor that is not there.
    var absence: DeviceFault { state.withLock { DeviceFault(absent: $0.title, $0.unmetChoice, kind) } }

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

    /// The sensor is one that was chosen and is not there; nil: it is, or it was not chosen.
    func update(_ unmetChoice: UnmetChoice?) {
        let channel = state.withLock { state in
            guard state.unmetChoice != unmetChoice else { return DeviceChannel?.none }
            state.unmetChoice = unmetChoice
            return state.channel
        }
        channel?.requestLook()
    }
}

/// The sensor that the configuration wants as `accelerometer`, and that is not there, although it has been looked for.
struct UnmetChoice: Equatable, Sendable {
    /// What the configuration names.
    let chosen: String
    /// The sensors that are there instead, as one would look for them.
    let present: [String]

    private static let mostNamed = 4

    /// The choice among what is there.
    init(_ chosen: String, among sightings: [Sighting]) {
        self.chosen = chosen
        present = sightings.map { "\($0.title) at \($0.id)" }
    }

    /// What is wrong, and what to do about it; for people.
    var words: String {
        let problem = "there is no accelerometer '\(printable(chosen))', which [Accelerometer] Default= names"
        guard !present.isEmpty else { return "\(problem), and no other: connect it" }
        let named = present.prefix(Self.mostNamed).joined(separator: ", ")
        let more = present.count > Self.mostNamed ? " and \(present.count - Self.mostNamed) more" : ""
        return "\(problem), but \(named)\(more): connect it, or name another by its serial number, place, driver or "
            + "node, and restart sensorbrokerd"
    }
}
