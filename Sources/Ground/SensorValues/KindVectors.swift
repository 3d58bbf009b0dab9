// Written by 'make generated' from the table of kinds, KindRow+Table.swift.

/// Acceleration along the axes of the device, gravity included, in m/s².
///
/// A device at rest with its screen up reads +9.81 on z.
public typealias Acceleration = Vector<AccelerationKind>

/// The kind of an `Acceleration`.
public enum AccelerationKind: VectorKind {
    /// Acceleration along the axes of the device, gravity included.
    public static var kind: Kind { .acceleration }
}

/// Angular velocity about the axes of the device, in rad/s.
///
/// Counter-clockwise is positive, seen from the end of the axis.
public typealias AngularVelocity = Vector<AngularVelocityKind>

/// The kind of an `AngularVelocity`.
public enum AngularVelocityKind: VectorKind {
    /// Angular velocity about the axes of the device.
    public static var kind: Kind { .angularVelocity }
}

/// The magnetic field along the axes of the device, in µT.
public typealias MagneticField = Vector<MagneticFieldKind>

/// The kind of a `MagneticField`.
public enum MagneticFieldKind: VectorKind {
    /// The magnetic field along the axes of the device.
    public static var kind: Kind { .magneticField }
}

/// Gravity along the axes of the device, in m/s².
///
/// A device with its screen up reads +9.81 on z.
public typealias Gravity = Vector<GravityKind>

/// The kind of a `Gravity`.
public enum GravityKind: VectorKind {
    /// Gravity along the axes of the device.
    public static var kind: Kind { .gravity }
}

/// Acceleration along the axes of the device, without gravity, in m/s².
///
/// A device at rest reads 0.
public typealias LinearAcceleration = Vector<LinearAccelerationKind>

/// The kind of a `LinearAcceleration`.
public enum LinearAccelerationKind: VectorKind {
    /// Acceleration along the axes of the device, without gravity.
    public static var kind: Kind { .linearAcceleration }
}

/// How the device is turned from magnetic east, magnetic north and up, as a unit quaternion.
public typealias Rotation = UnitQuaternion<RotationKind>

/// The kind of a `Rotation`.
public enum RotationKind: QuaternionKind {
    /// How the device is turned from magnetic east, magnetic north and up, as a unit quaternion.
    public static var kind: Kind { .rotation }
}

/// How far the axes of the device are from the horizontal, in rad.
public typealias Inclination = Vector<InclinationKind>

/// The kind of an `Inclination`.
public enum InclinationKind: VectorKind {
    /// How far the axes of the device are from the horizontal.
    public static var kind: Kind { .inclination }
}

/// How the device is turned from upright, with a heading that began anywhere, as a unit quaternion.
///
/// After a gap the heading begins anew, and the numbers of readings with it.
public typealias Attitude = UnitQuaternion<AttitudeKind>

/// The kind of an `Attitude`.
public enum AttitudeKind: QuaternionKind {
    /// How the device is turned from upright, with a heading that began anywhere, as a unit quaternion.
    public static var kind: Kind { .attitude }
}

/// What the gyroscope shows when nothing turns it, in rad/s.
public typealias GyroscopeBias = Vector<GyroscopeBiasKind>

/// The kind of a `GyroscopeBias`.
public enum GyroscopeBiasKind: VectorKind {
    /// What the gyroscope shows when nothing turns it.
    public static var kind: Kind { .gyroscopeBias }
}
