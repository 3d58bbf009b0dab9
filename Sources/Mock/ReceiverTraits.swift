internal import Glibc
internal import Readings

/// What a receiver says of a journey.
public struct ReceiverTraits: Sendable {
    /// Standard deviation of each horizontal direction; the height's is half as much again.
    public var noiseMeters = 0.0
    /// Satellites in the solution, and in view.
    public var satellites = (used: 9, visible: 12)
    /// What decides the noise.
    public var seed: UInt64 = 0

    /// A receiver without noise.
    public init() {}
}

extension ReceiverTraits {
    /// What a receiver makes of it.
    func receive(_ location: inout Location, _ elapsedNanoseconds: Int64) {
        // Of two normally distributed numbers, 95 % are within 2.45 standard deviations of the middle.
        location.horizontalErrorMeters = max(2.45 * noiseMeters, 1)
        location.verticalErrorMeters = max(1.96 * 1.5 * noiseMeters, 1.5)
        (location.satellitesUsed, location.satellitesVisible) = (satellites.used, satellites.visible)
        guard noiseMeters > 0, let latitude = location.latitudeDegrees, let longitude = location.longitudeDegrees else {
            return
        }
        let noise = Noise.normal(elapsedNanoseconds, seed: seed) * noiseMeters
        let degrees = atan2(noise.x, noise.y) * 180 / .pi
        let seen = Position(latitudeDegrees: latitude, longitudeDegrees: longitude)
            .moved(meters: (noise.x * noise.x + noise.y * noise.y).squareRoot(), degrees: degrees)
        location.latitudeDegrees = seen.latitudeDegrees
        location.longitudeDegrees = seen.longitudeDegrees
        location.altitudeMeters = location.altitudeMeters.map { $0 + 1.5 * noise.z }
    }
}
