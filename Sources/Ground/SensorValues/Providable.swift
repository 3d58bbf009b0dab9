/// A value that a program can provide: what it measures itself, or gets from a device that the kernel does not know.
///
/// The values of all kinds are, but for an ``Orientation``, which the broker derives. A type of your own can be as well:
///
///     extension Tilt: Providable {
///         static let kind = Kind.tilt
///         var measured: MeasuredValue { .numbers([degrees], of: .tilt) }
///     }
public protocol Providable: KindMeasurable {
    /// The value as the broker gets it, of the type's ``KindMeasurable/kind``.
    var measured: MeasuredValue { get }
}

extension Location: Providable {
    /// The kind.
    public static var kind: Kind { .location }

    /// The location as the broker gets it.
    public var measured: MeasuredValue { .location(self) }
}

extension Vector: Providable {
    /// The components as the broker gets them.
    public var measured: MeasuredValue { MeasuredValue(.values(values)) }
}

extension Scalar: Providable {
    /// The number as the broker gets it.
    public var measured: MeasuredValue { MeasuredValue(.values(Values(Of.kind, SIMD4(value, 0, 0, 0)))) }
}

extension UnitQuaternion: Providable {
    /// The components as the broker gets them.
    public var measured: MeasuredValue { MeasuredValue(.values(Values(Of.kind, SIMD4(x, y, z, w)))) }
}

extension AttitudeError: Providable {
    /// Both errors as the broker gets them.
    public var measured: MeasuredValue {
        MeasuredValue(.values(Values(.attitudeError, SIMD4(tiltDegrees, headingDegrees, 0, 0))))
    }
}

extension Rest: Providable {
    /// The rest as the broker gets it.
    public var measured: MeasuredValue { MeasuredValue(.values(Values(.rest, SIMD4(isAtRest ? 1 : 0, 0, 0, 0)))) }
}

extension Proximity: Providable {
    /// The proximity as the broker gets it.
    public var measured: MeasuredValue {
        MeasuredValue(.values(Values(.proximity, SIMD4(isNear ? 1 : 0, raw, 0, 0))))
    }
}
