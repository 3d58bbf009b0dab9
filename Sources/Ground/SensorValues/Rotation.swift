/// The attitude of the device as a unit quaternion, which turns the device's axes into the Earth's: x to the east, y to the
/// north, z up.
public struct Rotation: Hashable, Codable, Sendable {
    /// The x component.
    public var x: Double
    /// The y component.
    public var y: Double
    /// The z component.
    public var z: Double
    /// The real component; 1 means no rotation.
    public var w: Double

    /// Creates a rotation from the components of a unit quaternion.
    public init(x: Double, y: Double, z: Double, w: Double) { (self.x, self.y, self.z, self.w) = (x, y, z, w) }

    /// The rotation of a measurement; nil if that is of another kind.
    public init?(_ measured: MeasuredValue) {
        guard case .values(let values) = measured.measurement, values.kind == .rotation else { return nil }
        self.init(x: values[0], y: values[1], z: values[2], w: values[3])
    }
}

/// Whether something is near the device.
public struct Proximity: Hashable, Codable, Sendable {
    /// Whether something is near.
    public var isNear: Bool
    /// The sensor's count: the greater, the nearer.
    public var raw: Double

    /// Creates a proximity from whether something is near and the sensor's count.
    public init(isNear: Bool, raw: Double) { (self.isNear, self.raw) = (isNear, raw) }

    /// The proximity of a measurement; nil if that is of another kind.
    public init?(_ measured: MeasuredValue) {
        guard case .values(let values) = measured.measurement, values.kind == .proximity else { return nil }
        self.init(isNear: values[0] > 0.5, raw: values[1])
    }
}
