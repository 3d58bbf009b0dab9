/// How a device is turned and moves: one value of all that is known of one time.
///
///     for try await motion in broker.deviceMotion(every: .milliseconds(20), frame: .magneticNorth) {
///         print(motion.value.attitude.yawRadians, motion.value.userAcceleration)
///     }
///
/// Vectors are along the axes of the device: x to the right, y to the top edge, z out of the screen. Nothing is
/// estimated here: each part is a resource of the broker, measured at the time of the reading. Of what is not known
/// there is no motion, but a gap or a state with the reason.
public struct DeviceMotion: Hashable, Codable, Sendable {
    /// The frame into which ``attitude`` turns the device's axes.
    public var frame: ReferenceFrame
    /// How the device is turned from the axes of the frame.
    public var attitude: Attitude
    /// How fast it turns: what the gyroscope shows, without what it shows at rest.
    public var rotationRate: AngularVelocity
    /// What an accelerometer would show if the device were at rest: +9.81 m/s² on z if its screen is up.
    public var gravity: Gravity
    /// The acceleration of the device itself; 0 at rest.
    public var userAcceleration: LinearAcceleration
    /// Where the top edge points, or the back of a device whose top edge points up or down, in degrees clockwise from the frame's north; nil in
    /// a frame without one.
    public var headingDegrees: Double?
    /// How far the vertical may be off: one standard deviation, in degrees; nil: it was not asked for (``Extras/errors``).
    public var tiltErrorDegrees: Double?
    /// How far magnetic north may be off, likewise; nil as well while nothing is known of it.
    public var headingErrorDegrees: Double?
    /// What the magnetometer shows, with whatever the device itself adds to it; nil: it was not asked for (``Extras/magneticField``), or is not known at that
    /// time.
    public var magneticField: MagneticField?

    /// Creates a motion, such as for a test; gravity follows from the attitude unless it is given.
    public init(
        attitude: Attitude = Attitude(x: 0, y: 0, z: 0, w: 1), in frame: ReferenceFrame = .arbitrary,
        rotationRate: AngularVelocity = AngularVelocity(x: 0, y: 0, z: 0), gravity: Gravity? = nil,
        userAcceleration: LinearAcceleration = LinearAcceleration(x: 0, y: 0, z: 0), headingDegrees: Double? = nil,
        tiltErrorDegrees: Double? = nil, headingErrorDegrees: Double? = nil, magneticField: MagneticField? = nil
    ) {
        let up = attitude.matrix.z * 9.80665
        self.frame = frame
        self.attitude = attitude
        self.rotationRate = rotationRate
        self.gravity = gravity ?? Gravity(x: up.x, y: up.y, z: up.z)
        self.userAcceleration = userAcceleration
        self.headingDegrees = headingDegrees
        self.tiltErrorDegrees = tiltErrorDegrees
        self.headingErrorDegrees = headingErrorDegrees
        self.magneticField = magneticField
    }
}

extension DeviceMotion {
    /// Where the axes of an attitude's frame point; z always points upwards.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum ReferenceFrame: String, Hashable, Codable, Sendable, CaseIterable {
        /// The y axis is where heading began, which is anywhere, and anew after a gap. Needs no magnetometer.
        case arbitrary
        /// The y axis points to magnetic north, x to the east. Needs a calibrated magnetometer.
        case magneticNorth
        /// The y axis points to true north. Needs a position as well.
        case trueNorth
    }

    /// What is reported besides, since it needs more of the host.
    public struct Extras: OptionSet, Hashable, Sendable {
        /// A bit for each.
        public let rawValue: Int

        /// Creates a set of bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// How far the vertical may be off, and north.
        ///
        /// A frame with a north always has it. In ``ReferenceFrame/arbitrary`` a calibrated magnetometer runs for it.
        public static let errors = Self(rawValue: 1)
        /// What the magnetometer shows; motions are late by up to one of its intervals then.
        public static let magneticField = Self(rawValue: 2)
    }
}

extension DeviceMotion: CustomStringConvertible {
    /// How it is turned in degrees, and how fast it turns and moves: `yaw 12.5°, pitch 3.0°, roll -1.2°, 0.02 rad/s, 0.1 m/s²`.
    public var description: String {
        func degrees(_ radians: Double) -> String { (radians * 180 / .pi).text(digits: 1) }
        func length(_ x: Double, _ y: Double, _ z: Double) -> String {
            (x * x + y * y + z * z).squareRoot().text(digits: 2)
        }
        return "yaw \(degrees(attitude.yawRadians))°, pitch \(degrees(attitude.pitchRadians))°, "
            + "roll \(degrees(attitude.rollRadians))°, "
            + "\(length(rotationRate.x, rotationRate.y, rotationRate.z)) rad/s, "
            + "\(length(userAcceleration.x, userAcceleration.y, userAcceleration.z)) m/s²"
    }
}
