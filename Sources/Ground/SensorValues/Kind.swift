/// A kind of sensor: the number of a row in the table of kinds.
///
/// Samples carry it, so it is small. Everything that depends on the kind is in the row; code that names a kind is about
/// something that only this kind has.
public struct Kind: Hashable, Sendable {
    /// The number of its row.
    package let number: UInt8

    /// The kind of a row.
    init(row number: UInt8) { self.number = number }

    /// All kinds, in the order of the table.
    public static let all = KindRow.table.indices.map { Self(row: UInt8($0)) }

    /// The kind with this name on the wire.
    package init?(wire name: String) {
        guard let kind = Self.all.first(where: { $0.row.wire == name }) else { return nil }
        self = kind
    }

    /// The kind with this resource word, such as `accelerometer`.
    package init?(resource word: some StringProtocol) {
        guard let kind = Self.all.first(where: { $0.row.resource == word }) else { return nil }
        self = kind
    }

    /// Its row in the table.
    package var row: KindRow { KindRow.table[Int(number)] }

    /// Its name on the wire.
    package var wire: String { row.wire }

    /// The names of its channels, in their order; none for locations and orientations.
    public var channels: [String] { row.channels.map(\.description) }

    /// The symbol of its channels' unit, such as `m/s²`; empty if they have none.
    public var unit: String { row.unit.symbol }
}

extension Kind: Codable, CustomStringConvertible {
    /// Decodes the name on the wire; a kind that this library does not know is an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let kind = Self(wire: name) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(name)' is not a kind")
        }
        self = kind
    }

    /// Encodes the name on the wire.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wire)
    }

    /// Its name on the wire.
    public var description: String { wire }
}

/// The properties of a kind: a row of the table.
///
/// Most of its columns are for the daemon and the command; programs see the names and units of channels.
@usableFromInline package final class KindRow: Sendable {
    /// The form of a measurement.
    package enum Form: Sendable {
        /// A `Location`, whose fields are in `LocationField`.
        case location
        /// A number for each channel.
        case values
        /// A value of `Orientation`.
        case orientation
    }

    /// The coordinate system of the channels.
    package enum Frame: Sendable {
        /// The axes of the device that contains the chip; the mount matrix applies.
        case device
        /// None: the channels are no vector.
        case none
    }

    /// When readings are sent.
    package enum Reporting: String, Sendable {
        /// At an interval.
        case continuous
        /// When the value has changed; a reading holds until the next one.
        case onChange
    }

    /// How the samples of an interval are combined by `mean`, and hence what lies between two of them; `Readings` computes both.
    package enum Mean: Sendable {
        /// The arithmetic mean of each channel; the fields of a location have their own rules.
        case arithmetic
        /// The newest sample, since there is nothing between two values.
        case newest
        /// The mean of directions in degrees: that of 359° and 1° is 0°.
        case circular
        /// The mean of unit quaternions on their sphere, where opposite ones are the same rotation.
        case spherical
    }

    /// How the change between two measurements is computed.
    package enum Change: Sendable {
        /// The length of the difference vector, in the unit of the channels.
        case norm
        /// The same; another value of the first channel, which is 0 or 1, always counts.
        case normOrSwitch
        /// The smaller angle between two directions, in degrees.
        case direction
        /// The angle of the rotation from one attitude to the other, in radians.
        case rotation
        /// The distance in metres along the ellipsoid.
        case greatCircle
        /// Any difference counts, and has no amount.
        case any
    }

    /// Who may read a kind without a configured policy; root and the daemon's user always may.
    package enum Access: Equatable, Sendable {
        /// No other user.
        case closed
        /// The services of a desktop, which decide which of its programs may, and no other user.
        case desktop
        /// Everybody who can connect.
        case everyone
        /// The readers of all these kinds, since their values can be inferred from this one.
        case like([Kind])
    }

    /// Where samples come from.
    package enum Source: Equatable, Sendable {
        /// Channels of an IIO device.
        case iio(IIOChannels)
        /// A driver of its own.
        case driver
        /// Readings of other kinds.
        case derived(from: [Kind])
    }

    /// A message of ROS 2.
    package enum ROSMessage: Equatable, Sendable {
        /// `sensor_msgs/msg/Imu`, which states that whatever else it has room for was not measured.
        case imu
        /// `sensor_msgs/msg/MagneticField`, in tesla.
        case magneticField
        /// `geometry_msgs/msg/Vector3Stamped`.
        case vector
        /// `geometry_msgs/msg/QuaternionStamped`.
        case quaternion
        /// A type of `sensor_msgs` with a field for the number; ours is so many times as large.
        case number(_ type: String, _ field: String, divisor: Double = 1)
        /// A type of our own, with a field for each channel.
        case own
    }

    /// What a simulated device measures without a scenario.
    package enum Signal: Sendable {
        /// A drive through a city.
        case drive
        /// What follows from the motion of its host.
        case motion
        /// Each channel oscillates about a value with this amplitude.
        case swing(around: Double, amplitude: Double)
        /// Something that comes near and goes away.
        case approach
        /// Nothing: there is no simulated device.
        case none
    }

    /// The name on the wire.
    package let wire: String
    /// The word in names of resources and in sections of configuration files (capitalized) and scenarios.
    package let resource: String
    /// The form of a measurement.
    package let form: Form
    /// The channels' names on the wire and in tables, at most `Values.mostChannels`; none for other forms.
    package let channels: [StaticString]
    /// Other names in tables of loggers, before the name of a channel: `acc` in `acc_x`.
    package let otherNames: [String]
    /// The unit of the channels; for a location, of its change.
    package let unit: Unit
    /// The unit of a change; none if a change has no amount.
    package let changeUnit: Unit
    /// The coordinate system of the channels.
    package let frame: Frame
    /// When readings are sent.
    package let reporting: Reporting
    /// The minimum change for requests that do not set one; nil: every reading is sent.
    package let usualChange: Double?
    /// How the samples of an interval are combined by `mean`.
    package let mean: Mean
    /// How the change between two measurements is computed.
    package let change: Change
    /// The possible values of a channel; generous, to catch nonsense rather than judge sensors.
    package let range: ClosedRange<Double>
    /// The shortest interval until the device has reported its own.
    package let shortestNanoseconds: Int64
    /// The interval of a request that does not name one.
    package let standardNanoseconds: Int64
    /// Who may read it without a configured policy.
    package let access: Access
    /// Where samples come from.
    package let source: Source
    /// The kinds from whose readings it is derived where no device measures it; none: it is not.
    package let alsoFrom: [Kind]
    /// What a simulated device measures.
    package let mock: Signal
    /// The message of ROS 2 that carries its readings.
    package let ros: ROSMessage
    /// Home Assistant's class of its sensors, which must allow the unit; nil if no class fits.
    package let homeAssistantClass: String?
    /// How it is called in Swift programs and in texts.
    package let words: KindWords
    /// The lengths of quaternions that are taken for rotations.
    package static let lengthsOfRotations = 0.9...1.1

    /// The limits of each channel; unlimited beyond the channels.
    @usableFromInline let lowest: SIMD4<Double>
    @usableFromInline let highest: SIMD4<Double>
    @usableFromInline let isRotation: Bool

    init(
        _ wire: String, resource: String, form: Form = .values, channels: [StaticString] = [],
        otherNames: [String] = [], unit: Unit = .none, changeUnit: Unit? = nil,
        frame: Frame = .none, reporting: Reporting = .continuous, usualChange: Double? = nil,
        mean: Mean = .arithmetic, change: Change = .norm,
        range: ClosedRange<Double> = -1e12...1e12, shortestNanoseconds: Int64 = 1_000_000,
        standardNanoseconds: Int64 = 100_000_000, access: Access = .closed, source: Source, alsoFrom: [Kind] = [],
        mock: Signal = .none,
        ros: ROSMessage = .own, homeAssistantClass: String? = nil, words: KindWords
    ) {
        self.wire = wire
        self.resource = resource
        self.form = form
        self.channels = channels
        self.otherNames = otherNames
        self.unit = unit
        self.changeUnit = changeUnit ?? unit
        self.frame = frame
        self.reporting = reporting
        self.usualChange = usualChange
        self.mean = mean
        self.change = change
        self.range = range
        self.shortestNanoseconds = shortestNanoseconds
        self.standardNanoseconds = standardNanoseconds
        self.access = access
        self.source = source
        self.alsoFrom = alsoFrom
        self.mock = mock
        self.ros = ros
        self.homeAssistantClass = homeAssistantClass
        self.words = words
        var (lowest, highest) = (SIMD4(repeating: -Double.infinity), SIMD4(repeating: Double.infinity))
        for channel in channels.indices { (lowest[channel], highest[channel]) = (range.lowerBound, range.upperBound) }
        (self.lowest, self.highest) = (lowest, highest)
        isRotation = mean == .spherical
    }

    /// Whether each channel has a possible value, and the values are a rotation if they should be; NaN is not possible.
    @inlinable package func isPossible(_ vector: SIMD4<Double>) -> Bool {
        all((vector .>= lowest) .& (vector .<= highest)) && (!isRotation || Self.isRotation(vector))
    }

    /// Whether the length is about 1; that of (0, 0, 0, 0), which chips send before they know better, is not.
    @usableFromInline package static func isRotation(_ vector: SIMD4<Double>) -> Bool {
        lengthsOfRotations.contains((vector * vector).sum().squareRoot())
    }

    /// Whether the values of samples are in their ranges; each sample has a number for each channel.
    package func arePossible(_ numbers: [Double]) -> Bool {
        if isRotation {
            return stride(from: 0, to: numbers.count, by: 4).allSatisfy { place in
                isPossible(SIMD4(numbers[place..<place + 4]))
            }
        }
        return numbers.allSatisfy { $0 >= range.lowerBound && $0 <= range.upperBound }
    }

    /// Whether it has a device, which can be configured, simulated and released, and can fail.
    package var hasDevice: Bool {
        if case .derived = source { false } else { true }
    }

    /// The kinds from whose readings it can be derived; none: it cannot.
    package var origins: [Kind] {
        if case .derived(let kinds) = source { kinds } else { alsoFrom }
    }

    /// The kinds whose policies apply if this one has none.
    package var guardians: [Kind] {
        if case .like(let kinds) = access { kinds } else { [] }
    }

    /// Its section in the configuration, such as `Accelerometer`; with the capitals that the name on the wire has.
    package var section: String {
        let name = wire.lowercased() == resource ? wire : resource
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Whether its numbers can be calibrated one by one: they are not parts of a rotation, and not a count.
    package var canBeCalibrated: Bool { iio?.isScaled == true && mean != .spherical }

    /// Its channels in IIO; nil if it does not come from an IIO device.
    package var iio: IIOChannels? {
        if case .iio(let channels) = source { channels } else { nil }
    }

    /// The name of the first resource of the kind; further ones have a suffix.
    package var firstResource: ResourceName { ResourceName(word: resource) }
}

extension KindRow {
    /// A unit of measurement.
    package struct Unit: Sendable {
        /// The symbol: `m/s²`.
        package let symbol: String
        /// Other spellings and other units, each with its size in this unit.
        package let aliases: [(name: String, factor: Double)]
        /// Digits after the decimal point that are worth printing.
        package let decimals: Int

        init(_ symbol: String, _ aliases: [(name: String, factor: Double)] = [], decimals: Int) {
            self.symbol = symbol
            self.aliases = aliases
            self.decimals = decimals
        }

        /// No unit, for kinds whose values have no amount.
        static let none = Unit("", decimals: 0)

        /// The accepted spellings, as text for people: `m/s2, g or mg`.
        package var words: String {
            let names = [plain] + aliases.filter { $0.factor != 1 }.map(\.name)
            return names.count < 2 ? symbol : names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        }

        /// The spelling without characters that keyboards lack: `m/s2`.
        package var plain: String { aliases.first { $0.factor == 1 }?.name ?? symbol }

        /// The size in this unit of the unit with this spelling; nil if the spelling is unknown.
        package func factor(of name: some StringProtocol) -> Double? {
            name == symbol ? 1 : aliases.first { $0.name == name }?.factor
        }
    }
}
