/// The stable name of a resource: `location`, `accelerometer`, `accelerometer:1`.
public struct ResourceName: Hashable, Sendable, CustomStringConvertible {
    /// The name as clients write it.
    public let description: String

    /// Creates a name if the text is valid: a word of a lower-case letter and lower-case letters or digits, optionally
    /// followed by a colon and up to 64 letters, digits or `._-`.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = parts.first, (1...64).contains(word.count), word.first.map(Self.isLowerCase) == true,
            word.allSatisfy({ Self.isLowerCase($0) || Self.isDigit($0) })
        else { return nil }
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].count <= 64, parts[1].allSatisfy(Self.isSuffix) else { return nil }
        }
        description = text
    }

    /// The word before the colon, which identifies the kind: `accelerometer`.
    public var word: Substring { description.prefix { $0 != ":" } }

    init(word: String) { description = word }

    private static func isLowerCase(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isSuffix(_ byte: UInt8) -> Bool {
        isLowerCase(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || isDigit(byte)
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}

extension ResourceName: Codable {
    /// Decodes the name; an invalid one is an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let name = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not a resource's name")
        }
        self = name
    }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The first sensor of each kind, by the name that its resource has.
extension ResourceName {
    /// The position of the host.
    public static let location = Kind.location.row.firstResource
    /// The accelerometer of the host.
    public static let accelerometer = Kind.acceleration.row.firstResource
    /// The orientation of the host: which edge is up.
    public static let orientation = Kind.orientation.row.firstResource
    /// The gyroscope of the host.
    public static let gyroscope = Kind.angularVelocity.row.firstResource
    /// The magnetometer of the host.
    public static let magnetometer = Kind.magneticField.row.firstResource
    /// The compass of the host.
    public static let heading = Kind.heading.row.firstResource
    /// The sensor of gravity.
    public static let gravity = Kind.gravity.row.firstResource
    /// The sensor of acceleration without gravity.
    public static let linearAcceleration = Kind.linearAcceleration.row.firstResource
    /// The sensor of attitude.
    public static let rotation = Kind.rotation.row.firstResource
    /// The inclinometer.
    public static let inclination = Kind.inclination.row.firstResource
    /// The light sensor.
    public static let light = Kind.illuminance.row.firstResource
    /// The proximity sensor.
    public static let proximity = Kind.proximity.row.firstResource
    /// The barometer.
    public static let pressure = Kind.pressure.row.firstResource
    /// The thermometer.
    public static let temperature = Kind.temperature.row.firstResource
    /// The hygrometer.
    public static let humidity = Kind.humidity.row.firstResource
    /// The voltmeter.
    public static let voltage = Kind.voltage.row.firstResource
    /// The ammeter.
    public static let current = Kind.current.row.firstResource
    /// The tilt of the host: how far its screen leans from the vertical.
    public static let tilt = Kind.tilt.row.firstResource
    /// The wattmeter.
    public static let power = Kind.power.row.firstResource
    /// The energy meter.
    public static let energy = Kind.energy.row.firstResource
    /// The ohmmeter.
    public static let resistance = Kind.resistance.row.firstResource
    /// The thermometer of what is around an infrared sensor.
    public static let ambientTemperature = Kind.ambientTemperature.row.firstResource
    /// The infrared thermometer.
    public static let objectTemperature = Kind.objectTemperature.row.firstResource
    /// The sensor of carbon dioxide.
    public static let carbonDioxide = Kind.carbonDioxide.row.firstResource
    /// The sensor of volatile organic compounds.
    public static let volatileOrganicCompounds = Kind.volatileOrganicCompounds.row.firstResource
    /// The sensor of oxygen.
    public static let oxygen = Kind.oxygen.row.firstResource
    /// The sensor of particles of up to 1 µm.
    public static let pm1 = Kind.pm1.row.firstResource
    /// The sensor of particles of up to 2.5 µm.
    public static let pm2p5 = Kind.pm2p5.row.firstResource
    /// The sensor of particles of up to 4 µm.
    public static let pm4 = Kind.pm4.row.firstResource
    /// The sensor of particles of up to 10 µm.
    public static let pm10 = Kind.pm10.row.firstResource
}
