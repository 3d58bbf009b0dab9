/// A satellite in view of a receiver.
public struct Satellite: Hashable, Codable, Sendable {
    /// A system of satellites; the raw value is its name on the wire.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum System: String, CaseIterable, Codable, Sendable {
        /// The United States' GPS.
        case gps
        /// Satellites that augment another system: EGNOS, WAAS, MSAS, GAGAN.
        case sbas
        /// The European Union's Galileo.
        case galileo
        /// China's BeiDou.
        case beidou
        /// Japan's transmitters within buildings, IMES.
        case imes
        /// Japan's QZSS.
        case qzss
        /// Russia's GLONASS.
        case glonass
        /// India's NavIC, once IRNSS.
        case navic
    }

    /// Its number as in NMEA 0183 2.x to 4.0, unique among all systems: 1 to 437.
    public var prn: Int
    /// Its system; nil if the receiver does not report it.
    public var system: System?
    /// Its number within its system; nil if the receiver does not report it.
    public var systemNumber: Int?
    /// Elevation above the horizon, -90 to 90.
    public var elevationDegrees: Double?
    /// Azimuth, clockwise from true north, 0 to 360.
    public var azimuthDegrees: Double?
    /// Carrier-to-noise density, dB-Hz.
    public var signalDecibelHertz: Double?
    /// Whether it is in the solution.
    public var isUsed: Bool

    /// Creates a satellite of which only the number is known.
    public init(prn: Int, isUsed: Bool) {
        self.prn = prn
        self.isUsed = isUsed
    }
}
