/// The host's position, speed and time, as reported by its receiver.
///
/// An absent field is unknown, never zero.
public struct Location: Hashable, Codable, Sendable {
    /// The quality of a fix.
    public enum Fix: String, Codable, Sendable {
        /// The receiver has no position.
        case noPosition = "none"
        /// Position without altitude.
        case twoDimensional = "2d"
        /// Position and altitude.
        case threeDimensional = "3d"
    }

    /// How a position was found, as far as gpsd reports it, which it does not for an ordinary fix.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Status: String, CaseIterable, Codable, Sendable {
        /// Satellites alone, without corrections.
        case autonomous
        /// Corrected by SBAS or by a reference station.
        case dgps
        /// From the phase of the carrier, with its ambiguities solved: exact to centimetres.
        case rtkFixed
        /// From the phase of the carrier, with its ambiguities estimated.
        case rtkFloat
        /// Dead reckoning without satellites.
        case deadReckoning
        /// Satellites and dead reckoning.
        case gnssDeadReckoning
        /// The receiver stands at a surveyed position and measures the time only.
        case timeOnly
        /// The receiver simulates it.
        case simulated
        /// From the encrypted P(Y) code of GPS.
        case precise
    }

    /// The quality of the fix.
    public var fix: Fix
    /// UTC of the fix, in microseconds since 1970, as the receiver reports it; never used for scheduling.
    public var utcMicroseconds: Int64?
    /// North positive, -90 to 90.
    public var latitudeDegrees: Double?
    /// East positive, -180 to 180.
    public var longitudeDegrees: Double?
    /// Above mean sea level.
    public var altitudeMeters: Double?
    /// Above the WGS84 ellipsoid.
    public var ellipsoidHeightMeters: Double?
    /// Horizontal error, 95 % confidence.
    public var horizontalErrorMeters: Double?
    /// Vertical error, 95 % confidence.
    public var verticalErrorMeters: Double?
    /// Over ground.
    public var speedMetersPerSecond: Double?
    /// Clockwise from true north, 0 to 360.
    public var trackDegrees: Double?
    /// Up positive.
    public var climbMetersPerSecond: Double?
    /// Error of the speed, 95 % confidence.
    public var speedErrorMetersPerSecond: Double?
    /// Error of the track, 95 % confidence.
    public var trackErrorDegrees: Double?
    /// Error of the climb, 95 % confidence.
    public var climbErrorMetersPerSecond: Double?
    /// Height of mean sea level above the WGS84 ellipsoid at this position.
    public var geoidSeparationMeters: Double?
    /// Horizontal dilution of precision, from the satellites' geometry; 1 is ideal.
    public var horizontalDilution: Double?
    /// Vertical dilution of precision.
    public var verticalDilution: Double?
    /// Dilution of precision of the position in space.
    public var positionDilution: Double?
    /// Velocity to the north.
    public var velocityNorthMetersPerSecond: Double?
    /// Velocity to the east.
    public var velocityEastMetersPerSecond: Double?
    /// Velocity downwards.
    public var velocityDownMetersPerSecond: Double?
    /// Velocity along the X axis of the Earth-centered, Earth-fixed frame: from the center to 0° N, 0° E.
    public var ecefVelocityXMetersPerSecond: Double?
    /// The same along the Y axis: to 0° N, 90° E.
    public var ecefVelocityYMetersPerSecond: Double?
    /// The same along the Z axis: to the north pole.
    public var ecefVelocityZMetersPerSecond: Double?
    /// Error of the time, 95 % confidence.
    public var timeErrorSeconds: Double?
    /// How far GPS time is ahead of UTC.
    public var leapSeconds: Int?
    /// How the position was found.
    public var status: Status?
    /// Age of the corrections.
    public var correctionAgeSeconds: Double?
    /// The number of the reference station that the corrections come from.
    public var correctionStation: Int?
    /// Where the antennas or the vehicle point, clockwise from true north, 0 to 360; a second antenna or a compass measures it.
    public var headingDegrees: Double?
    /// Of the antennas or the vehicle, up positive, -90 to 90.
    public var pitchDegrees: Double?
    /// Of the antennas or the vehicle, -180 to 180.
    public var rollDegrees: Double?
    /// From the other antenna, or the reference station, to this antenna: to the north.
    public var baselineNorthMeters: Double?
    /// The same to the east.
    public var baselineEastMeters: Double?
    /// The same downwards.
    public var baselineDownMeters: Double?
    /// The distance from the other antenna or the reference station.
    public var baselineLengthMeters: Double?
    /// The direction of that vector, clockwise from true north, 0 to 360.
    public var baselineHeadingDegrees: Double?
    /// Satellites in the solution.
    public var satellitesUsed: Int?
    /// Satellites in view.
    public var satellitesVisible: Int?
    /// Each satellite in view; a broker's readings contain them only on request.
    public var satellites: [Satellite]?

    /// Creates a location of which only the quality of the fix is known.
    public init(fix: Fix) { self.fix = fix }
}

extension Location: Measurable {
    /// `location`.
    public static var firstResource: ResourceName { .location }

    /// The location of a measured value; nil if that is of another kind.
    public init?(_ measured: MeasuredValue) {
        guard case .location(let location) = measured.measurement else { return nil }
        self = location
    }
}
