/// What somebody wants to know of a motion; the attitude is always known.
package struct MotionParts: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let rate = Self(rawValue: 1)
    package static let acceleration = Self(rawValue: 2)
    package static let field = Self(rawValue: 4)
    package static let all: Self = [.rate, .acceleration, .field]
}

/// What is true of a rigid device at one time, and what perfect sensors measure then; parts that nobody wanted are as at rest.
package struct Moment: Equatable, Sendable {
    /// From the device's axes to magnetic east, magnetic north and up.
    package private(set) var attitude = Quaternion.identity
    /// In radians per second, along the device's axes.
    package private(set) var rate = Vector3.zero
    /// What an accelerometer measures, in metres per second squared, along the device's axes.
    package private(set) var acceleration = Vector3(x: 0, y: 0, z: RigidMotion.gravity)
    /// In microtesla, along the device's axes.
    package private(set) var field: Vector3

    /// A device that lies flat, with its top edge to the north.
    @inline(__always)
    package init(atRestIn field: FieldShape) { self.field = Vector3(x: 0, y: field.horizontal, z: -field.downward) }

    /// A device with this motion that nothing carries: without a rotation it lies flat, with its top edge to the north.
    ///
    /// What `carrying` gives of a device at rest, for sixty instructions less.
    @inline(__always)
    init(_ motion: RelativeMoment, in field: FieldShape, _ wanted: MotionParts) {
        self.init(atRestIn: field)
        attitude = motion.rotation
        if wanted.contains(.rate) { rate = motion.rate }
        if wanted.contains(.acceleration) { acceleration = gravity + motion.acceleration }
        if wanted.contains(.field) { self.field = motion.rotation.inverse.turn(self.field) }
    }

    /// What an accelerometer would measure at rest, along the device's axes.
    package var gravity: Vector3 { attitude.up * RigidMotion.gravity }

    /// How far each of the device's axes points above the horizon, in radians.
    package var inclination: Vector3 {
        func angle(_ up: Double) -> Double { arctangent(up, max(0, 1 - up * up).squareRoot()) }
        let up = attitude.up
        return Vector3(x: angle(up.x), y: angle(up.y), z: angle(up.z))
    }

    /// The moment of something that moves on this device.
    ///
    /// It is where the device's accelerometer is: no lever makes an acceleration of a rate.
    @inline(__always)
    package func carrying(_ part: RelativeMoment, _ wanted: MotionParts = .all) -> Self {
        var carried = self
        let back = part.rotation.inverse
        carried.attitude = attitude * part.rotation
        if wanted.contains(.rate) { carried.rate = back.turn(rate) + part.rate }
        if wanted.contains(.acceleration) { carried.acceleration = back.turn(acceleration) + part.acceleration }
        if wanted.contains(.field) { carried.field = back.turn(field) }
        return carried
    }
}

/// How something moves on what carries it, at one time.
package struct RelativeMoment: Equatable, Sendable {
    /// From its axes to those of its carrier.
    package private(set) var rotation = Quaternion.identity
    /// In radians per second, along its own axes.
    package private(set) var rate = Vector3.zero
    /// In metres per second squared, along its own axes.
    package private(set) var acceleration = Vector3.zero

    /// Nothing moves.
    package init() {}

    /// Adds an acceleration along the present axes: the carrier's, as long as nothing is turned.
    package mutating func push(_ acceleration: Vector3) { self.acceleration += acceleration }

    /// Turns it further, at a rate along the axes to which this leads.
    @inline(__always)
    package mutating func turn(by turn: Quaternion, rate: Vector3 = .zero) {
        rotation = rotation == .identity ? turn : rotation * turn
        self.rate = self.rate == .zero ? rate : turn.inverse.turn(self.rate) + rate
        if acceleration != .zero { acceleration = turn.inverse.turn(acceleration) }
    }
}
