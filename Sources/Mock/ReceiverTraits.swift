internal import Glibc
internal import Readings

/// The properties of a simulated receiver: what it reports of a journey.
public struct ReceiverTraits: Sendable {
    /// Standard deviation in each horizontal direction; the altitude's is one and a half times as much.
    public var noiseMeters = 0.0
    /// Satellites in the solution, and in view.
    public var satellites = (used: 9, visible: 12)
    /// The seed of the noise.
    public var seed: UInt64 = 0

    /// Creates a receiver without noise.
    public init() {}
}

extension ReceiverTraits {
    /// Turns the true location into the receiver's.
    func receive(_ location: inout Location, _ elapsedNanoseconds: Int64) {
        // 95 % of a two-dimensional normal distribution are within 2.45 standard deviations.
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
