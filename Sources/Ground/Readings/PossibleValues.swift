/// The ranges of values in readings, as the interface states them; drivers, importers and `Intake` share them.
///
/// The ranges are generous: they catch nonsense rather than judge sensors. Examples are a chip that returns all bits
/// set, a misread scale, or a receiver that numbers satellites in its own way.
public enum PossibleValues {
    /// Degrees, north positive.
    public static let latitudes = -90.0...90.0
    /// Degrees, east positive.
    public static let longitudes = -180.0...180.0
    /// Metres, from below the deepest sea to above balloons and sounding rockets.
    public static let heights = -20_000.0...100_000.0
    /// m/s, up to somewhat more than the speed in a low orbit.
    public static let speeds = 0.0...10_000.0
    /// m/s along one axis.
    public static let velocities = -10_000.0...10_000.0
    /// Metres; an error larger than half the Earth's circumference is meaningless.
    public static let errors = 0.0...20_000_000.0
    /// Degrees, clockwise from north.
    public static let directions = 0.0...360.0
    /// Metres; on Earth it is between -107 and 86.
    public static let geoidSeparations = -200.0...200.0
    /// Seconds: a day.
    public static let timeErrors = 0.0...86_400.0
    /// Dilutions of precision.
    public static let dilutions = 0.0...1_000.0
    /// Leap seconds; 18 today, and 0 is impossible.
    public static let leapSeconds = 1...99
    /// Seconds; corrections of a day ago correct nothing.
    public static let correctionAges = 0.0...86_400.0
    /// Reference stations: RTCM 3 has twelve bits for their numbers.
    public static let correctionStations = 0...4_095
    /// Degrees above the horizon.
    public static let pitches = -90.0...90.0
    /// Degrees around the longitudinal axis.
    public static let rolls = -180.0...180.0
    /// Metres along one axis; reference stations are at most some hundred kilometres away.
    public static let baselines = -10_000_000.0...10_000_000.0
    /// Metres.
    public static let baselineLengths = 0.0...20_000_000.0
    /// Satellites in view or in the solution, of all systems.
    public static let satelliteCounts = 0...1_000

    /// A satellite's number as in NMEA 0183 2.x to 4.0, which numbers the satellites of all systems.
    public static let satelliteNumbers = 1...437
    /// Degrees above the horizon.
    public static let elevations = -90.0...90.0
    /// dB-Hz; gpsd reports -1 for unknown, and no receiver comes near the upper limit.
    public static let signals = 0.0...254.0
}
