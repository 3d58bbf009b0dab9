/// How strong gravity is where the device is, as the accelerometer measures it at rest: then a device at rest has no
/// acceleration of its own.
struct GravityStrength {
    /// In metres per second squared.
    static let standard = 9.80665
    /// A device that is no longer at rest on the Earth, or a chip that is broken.
    private static let mostDifference = 0.7

    private(set) var metersPerSecondSquared = Self.standard

    mutating func take(atRest mean: Vector3) {
        let length = mean.length
        if abs(length - Self.standard) < Self.mostDifference { metersPerSecondSquared = length }
    }
}
