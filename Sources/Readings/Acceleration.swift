/// Acceleration in m/s², device axes after the mount matrix, gravity included.
///
/// A device at rest with its screen up reads +9.81 on z.
public struct Acceleration: Equatable, Sendable {
    /// Along the device's x axis, m/s².
    public var x: Double
    /// Along the device's y axis, m/s².
    public var y: Double
    /// Along the device's z axis, m/s².
    public var z: Double

    /// An acceleration of three finite components in m/s².
    public init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }
}
