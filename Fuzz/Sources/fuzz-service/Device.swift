internal import Devices
internal import Platform
internal import Readings

/// A device that does what bytes say.
final class Device {
    let name: ResourceName
    let kind: Kind
    let channel: DeviceChannel
    private var sequence: UInt64 = 0
    private var last = BootTime(nanoseconds: 0)
    private var isOpen = false

    init(_ name: ResourceName, _ kind: Kind) throws(SystemError) {
        (self.name, self.kind) = (name, kind)
        channel = try DeviceChannel()
    }

    func act(_ byte: UInt8, _ now: BootTime) {
        switch byte {
        case 0...159: yield(Int64(byte) + 1, now)
        case 160...175: open(everyMilliseconds: 1 << Int64(byte & 7))
        case 176...191: lose()
        case 192...207: channel.send(.state(.warm))
        case 208...223: channel.send(.state(.stale(reason: "fuzz")))
        case 224...231: channel.send(.gap(Gap(cause: .deviceOverflow, count: 3, from: last, until: max(last, now))))
        case 232...239: channel.send(.replaced)
        case 240...247: channel.send(.failed(reason: "fuzz"))
        default: channel.send(.state(.idle))
        }
    }

    private func open(everyMilliseconds interval: Int64) {
        (sequence, isOpen) = (0, true)
        channel.send(.opened)
        channel.send(
            .profile(
                DeviceProfile(
                    offered: .range(shortestNanoseconds: interval * 1_000_000, longestNanoseconds: 60_000_000_000),
                    intervalNanoseconds: interval * 1_000_000, description: "fuzz", simulated: false)))
        channel.send(.state(.active))
    }

    private func lose() {
        isOpen = false
        channel.send(.state(.unavailable(reason: "fuzz")))
    }

    /// So many samples, by a clock that only goes on.
    private func yield(_ count: Int64, _ now: BootTime) {
        guard isOpen else { return }
        for _ in 0..<count {
            last = max(last + 1_000, now)
            channel.send(.sample(Sample(sequence: sequence, timestamp: last, measurement: measurement)))
            sequence += 1
        }
    }

    private var measurement: Measurement {
        let number = Double(sequence % 97)
        guard kind == .location else { return .values(Acceleration(x: number - 48, y: 3, z: 9.81)) }
        var location = Location(fix: .threeDimensional)
        location.latitudeDegrees = number / 2
        location.longitudeDegrees = number
        location.satellites = [Satellite(prn: 1 + Int(sequence % 90), isUsed: true)]
        return .location(location)
    }
}
