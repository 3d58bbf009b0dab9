public import Devices
internal import Platform
public import Readings

/// A device that measures once more what was recorded, at the pace at which it was.
///
/// Opened, it begins at the beginning. At its end it is lost, as a device that was unplugged, and found again when it is
/// next tried: so a recording goes round, and no reading pretends to follow the last one.
public struct ReplayDevice: DeviceDriver, ~Copyable {
    private let track: Recording.Track
    private let now: @Sendable () -> BootTime
    private var start: BootTime?
    private var next = 0

    /// A closed device that plays a track.
    public init(_ track: Recording.Track) {
        self.init(track) { BootTime(nanoseconds: Clock.bootNanoseconds()) }
    }

    init(_ track: Recording.Track, now: @escaping @Sendable () -> BootTime) {
        self.track = track
        self.now = now
    }

    /// It goes at the pace of the recording: half of its samples were no further apart than this.
    public mutating func probe() -> DeviceProfile {
        let offsets = track.samples.map(\.offsetNanoseconds)
        let spacings = zip(offsets, offsets.dropFirst()).map { $1 - $0 }.sorted()
        let usual = spacings.isEmpty ? nil : spacings[spacings.count / 2]
        return DeviceProfile(
            offered: .fixed(shortestNanoseconds: spacings.first ?? 1_000_000), intervalNanoseconds: usual,
            description: "a recording of \(track.samples.count) samples", simulated: true)
    }

    /// Begins at the beginning.
    public mutating func open(_ demand: Demand) -> DeviceProfile {
        next = 0
        start = now()
        return probe()
    }

    /// What was recorded has its pace.
    public mutating func adjust(to demand: Demand, _ intake: inout Intake) -> DeviceProfile { probe() }

    /// When the next sample is to be measured once more.
    public var readiness: Readiness {
        guard let start, next < track.samples.count else { return .at(start ?? BootTime(nanoseconds: 0)) }
        return .at(start + track.samples[next].offsetNanoseconds)
    }

    /// Hands over the samples whose time has come; throws at the end.
    public mutating func read(into intake: inout Intake) throws(DeviceFault) {
        guard let start else { return }
        guard next < track.samples.count else { throw DeviceFault(.lost, "the recording is over, and begins again") }
        let instant = now()
        while next < track.samples.count {
            let sample = track.samples[next]
            let timestamp = start + sample.offsetNanoseconds
            guard timestamp <= instant else { break }
            intake.append(sample.measurement, at: timestamp)
            next += 1
        }
    }

    /// Stops.
    public mutating func close() { start = nil }
}
