/// A kind whose measurements are unit quaternions.
public protocol QuaternionKind: Sendable {
    /// The kind.
    static var kind: Kind { get }
}

/// A unit quaternion, which turns the device's axes into those of a frame whose z axis points upwards.
///
/// The y axis of a ``Rotation`` points to the north; that of an ``Attitude`` is where heading began.
public struct UnitQuaternion<Of: QuaternionKind>: Hashable, Codable, Sendable {
    /// The x component.
    public var x: Double
    /// The y component.
    public var y: Double
    /// The z component.
    public var z: Double
    /// The real component; 1 means no rotation.
    public var w: Double

    /// Creates one from its components, whose length is 1.
    public init(x: Double, y: Double, z: Double, w: Double) { (self.x, self.y, self.z, self.w) = (x, y, z, w) }

    /// The quaternion of a measurement; nil if that is of another kind.
    public init?(_ measured: MeasuredValue) {
        guard case .values(let values) = measured.measurement, values.kind == Of.kind else { return nil }
        self.init(x: values[0], y: values[1], z: values[2], w: values[3])
    }
}

/// How far the derived vertical and the derived north may be off: one standard deviation each.
public struct AttitudeError: Hashable, Codable, Sendable {
    /// How far the vertical may be off, in degrees.
    public var tiltDegrees: Double
    /// How far north may be off, in degrees; 180: nothing is known of it.
    public var headingDegrees: Double

    /// Creates an error from those of the vertical and of north.
    public init(tiltDegrees: Double, headingDegrees: Double) {
        (self.tiltDegrees, self.headingDegrees) = (tiltDegrees, headingDegrees)
    }

    /// The error of a measurement; nil if that is of another kind.
    public init?(_ measured: MeasuredValue) {
        guard case .values(let values) = measured.measurement, values.kind == .attitudeError else { return nil }
        self.init(tiltDegrees: values[0], headingDegrees: values[1])
    }
}

/// Whether the device lies still.
public struct Rest: Hashable, Codable, Sendable {
    /// Whether it lies still.
    public var isAtRest: Bool

    /// Creates a rest, or a motion.
    public init(isAtRest: Bool) { self.isAtRest = isAtRest }

    /// The rest of a measurement; nil if that is of another kind.
    public init?(_ measured: MeasuredValue) {
        guard case .values(let values) = measured.measurement, values.kind == .rest else { return nil }
        isAtRest = values[0] > 0.5
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
