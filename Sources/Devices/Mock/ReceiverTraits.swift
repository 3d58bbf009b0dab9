internal import Glibc
public import Readings

/// The properties of a simulated receiver: what it reports of a journey.
public struct ReceiverTraits: Sendable {
    /// Standard deviation in each horizontal direction; the altitude's is one and a half times as much.
    public var noiseMeters = 0.0
    /// Satellites in the solution, and in view; nil: 9 of 12, unless the journey has its own.
    public var satellites: (used: Int, visible: Int)?
    /// How it finds its position; nil: it reports nothing, as gpsd of an ordinary fix.
    public var status: Location.Status?
    /// Age of the corrections.
    public var correctionAgeSeconds: Double?
    /// The number of the reference station.
    public var correctionStation: Int?
    /// The distance of a second antenna, behind the first one; nil: there is none.
    public var baselineMeters: Double?
    /// The seed of the noise.
    public var seed: UInt64 = 0

    /// Creates a receiver without noise, corrections and second antenna.
    public init() {}
}

extension ReceiverTraits {
    /// Turns the true location into the receiver's.
    func receive(_ location: inout Location, under sky: MockSky, _ elapsedNanoseconds: Int64) {
        // 95 % of a two-dimensional normal distribution are within 2.45 standard deviations.
        if noiseMeters > 0 || location.horizontalErrorMeters == nil {
            // An exact position is simulated by a fix of the carrier's phase.
            let least = status == .rtkFixed ? 0.01 : status == .rtkFloat ? 0.2 : 1
            location.horizontalErrorMeters = max(2.45 * noiseMeters, least)
            location.verticalErrorMeters = max(1.96 * 1.5 * noiseMeters, 1.5 * least)
        }
        if satellites != nil || location.satellites == nil {
            let (used, visible) = satellites ?? (9, 12)
            sky.put(into: &location, used: used, visible: visible, atSeconds: Double(elapsedNanoseconds) / 1e9)
        }
        (location.status, location.correctionAgeSeconds) = (status, correctionAgeSeconds)
        location.correctionStation = correctionStation
        if let baselineMeters { point(&location, baselineMeters) }
        guard noiseMeters > 0 else { return }
        let noise = Noise.normal(elapsedNanoseconds, seed: seed) * noiseMeters
        location.move(
            meters: (noise.x * noise.x + noise.y * noise.y).squareRoot(), degrees: atan2(noise.x, noise.y) * 180 / .pi)
        location.altitudeMeters = location.altitudeMeters.map { $0 + 1.5 * noise.z }
    }

    /// Both antennas point where the vehicle drives.
    private func point(_ location: inout Location, _ length: Double) {
        let heading = location.trackDegrees ?? 0
        let (climb, speed) = (location.climbMetersPerSecond ?? 0, location.speedMetersPerSecond ?? 0)
        let pitch = climb == 0 ? 0 : atan2(climb, speed)
        location.headingDegrees = heading
        location.pitchDegrees = pitch * 180 / .pi
        location.baselineNorthMeters = length * cos(pitch) * cos(heading * .pi / 180)
        location.baselineEastMeters = length * cos(pitch) * sin(heading * .pi / 180)
        location.baselineDownMeters = 0 - length * sin(pitch)
        location.baselineLengthMeters = length
        location.baselineHeadingDegrees = heading
    }
}
