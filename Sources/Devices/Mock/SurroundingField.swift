internal import Motion
package import Readings

/// The magnetic field around a simulated host: that of its place, and others for a while.
package struct SurroundingField: Sendable {
    private let own: FieldShape
    private var disturbances: [(seconds: Range<Double>, field: FieldShape)] = []

    /// The field where a receiver is, by the World Magnetic Model; without one, in Berlin.
    ///
    /// The year is one of the model's, so that the same scenario has the same field at any time.
    package init(at location: Location? = nil) {
        let berlin = WorldMagneticModel.Place(latitudeDegrees: 52.52, longitudeDegrees: 13.405)
        var place = berlin
        if let latitude = location?.latitudeDegrees, let longitude = location?.longitudeDegrees {
            place = WorldMagneticModel.Place(
                latitudeDegrees: latitude, longitudeDegrees: longitude,
                heightMeters: location?.ellipsoidHeightMeters ?? 0)
        }
        own =
            WorldMagneticModel.field(at: place, year: 2027)?.shape ?? FieldShape(strength: 50, dipDegrees: 68)
    }

    /// Makes the field another one for a while; where two overlap, the one that was added last counts.
    package mutating func disturb(_ seconds: Range<Double>, strengthMicrotesla: Double, dipDegrees: Double) {
        disturbances.append((seconds, FieldShape(strength: strengthMicrotesla, dipDegrees: dipDegrees)))
    }

    func shape(atSeconds seconds: Double) -> FieldShape {
        disturbances.last { $0.seconds.contains(seconds) }?.field ?? own
    }
}
