// Which resources a motion is made of. The first one of a request, the lead, decides when there is a motion and what
// the states of its stream are; so it is what needs most: `rotation` has the reason why there is no north,
// `trueheading` why there is no true north.

/// A value of several resources at one time: of a lead, and of its companions.
package protocol Composed: Measurable {
    /// What is asked for with a lead, unless more is; nil: the value cannot be made of it.
    static func companions(of lead: ResourceName) -> [ResourceName]?
}

extension DeviceMotion.ReferenceFrame {
    /// The kind that turns the device's axes into the frame, or that decides last whether it is known.
    private var kind: Kind {
        switch self {
        case .arbitrary: .attitude
        case .magneticNorth: .rotation
        case .trueNorth: .trueHeading
        }
    }

    /// The resource whose states and times are those of the motion.
    package var lead: ResourceName { kind.row.firstResource }

    /// The frame of a lead's kind.
    fileprivate init?(_ kind: Kind) {
        guard let frame = Self.allCases.first(where: { $0.kind == kind }) else { return nil }
        self = frame
    }

    /// What is asked for with the lead.
    package func companions(with extras: DeviceMotion.Extras) -> [ResourceName] {
        var companions: [ResourceName] = [.gyroscope, .gyroscopeBias, .gravity, .linearAcceleration]
        if self == .trueNorth { companions.append(.rotation) }
        if self != .arbitrary { companions.append(.heading) }
        if self != .arbitrary || extras.contains(.errors) { companions.append(.attitudeError) }
        if extras.contains(.magneticField) { companions.append(.magnetometer) }
        return companions
    }
}

extension DeviceMotion: Composed {
    /// The resource that is the lead without a frame.
    public static var firstResource: ResourceName { ReferenceFrame.arbitrary.lead }

    package static func companions(of lead: ResourceName) -> [ResourceName]? {
        ReferenceFrame.allCases.first { $0.lead == lead }?.companions(with: [])
    }

    /// The motion of what was measured at one time; nil if something is missing.
    public init?(_ measured: MeasuredValue) {
        guard let frame = ReferenceFrame(measured.kind), let attitude = Attitude(of: frame, measured),
            let rate = measured.companion(AngularVelocity.self), let bias = measured.companion(GyroscopeBias.self),
            let gravity = measured.companion(Gravity.self),
            let acceleration = measured.companion(LinearAcceleration.self)
        else { return nil }
        let heading = measured.companion(Heading.self)?.degrees
        let error = measured.companion(AttitudeError.self)
        self.init(
            attitude: attitude, in: frame,
            rotationRate: AngularVelocity(x: rate.x - bias.x, y: rate.y - bias.y, z: rate.z - bias.z),
            gravity: gravity, userAcceleration: acceleration,
            headingDegrees: frame == .trueNorth ? TrueHeading(measured)?.degrees : heading,
            tiltErrorDegrees: error?.tiltDegrees,
            headingErrorDegrees: error.flatMap { $0.headingDegrees < 180 ? $0.headingDegrees : nil },
            magneticField: measured.companion(MagneticField.self))
    }
}

extension Attitude {
    /// The attitude in a frame; nil if something is missing.
    fileprivate init?(of frame: DeviceMotion.ReferenceFrame, _ measured: MeasuredValue) {
        switch frame {
        case .arbitrary: self.init(measured)
        case .magneticNorth:
            guard let rotation = Rotation(measured) else { return nil }
            self.init(like: rotation)
        case .trueNorth:
            guard let heading = measured.companion(Heading.self), let trueHeading = TrueHeading(measured),
                let rotation = measured.companion(Rotation.self)
            else { return nil }
            // Magnetic north is to the right of true north by the declination, which is what the two headings differ by.
            self.init(like: rotation.turnedAboutVertical(degrees: heading.degrees - trueHeading.degrees))
        }
    }
}
