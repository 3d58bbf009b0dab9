/// What the values of readings can be, as the interface says it and for all alike: drivers, files that are imported, and the
/// one door through which samples enter (`Intake`).
///
/// The bounds are generous. They are there to catch nonsense, not to judge sensors: a chip that answers with all bits set, a
/// scale that was misread, a receiver that counts satellites as nobody does.
public enum PossibleValues {
    /// Degrees, north positive.
    public static let latitudes = -90.0...90.0
    /// Degrees, east positive.
    public static let longitudes = -180.0...180.0
    /// Metres: from below the deepest sea to above the orbit of balloons and sounding rockets.
    public static let heights = -20_000.0...100_000.0
    /// m/s: up to a low orbit, and something.
    public static let speeds = 0.0...10_000.0
    /// m/s along one axis.
    public static let velocities = -10_000.0...10_000.0
    /// Metres: a larger error than half the way round the Earth says nothing.
    public static let errors = 0.0...20_000_000.0
    /// Degrees, clockwise from north.
    public static let directions = 0.0...360.0
    /// Metres; from -107 to 86 on this Earth.
    public static let geoidSeparations = -200.0...200.0
    /// Seconds: a day.
    public static let timeErrors = 0.0...86_400.0
    /// Dilutions of precision.
    public static let dilutions = 0.0...1_000.0
    /// There are 18; 0 is none.
    public static let leapSeconds = 1...99
    /// In view or in the solution, over all systems.
    public static let satelliteCounts = 0...1_000

    /// As NMEA 0183 2.x to 4.0 counts over all systems.
    public static let satelliteNumbers = 1...437
    /// Degrees above the horizon.
    public static let elevations = -90.0...90.0
    /// dB-Hz: gpsd says -1 where the receiver says nothing, and no receiver comes near the other end.
    public static let signals = 0.0...254.0
}
