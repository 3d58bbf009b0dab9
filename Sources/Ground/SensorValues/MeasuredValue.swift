/// A measured value of any kind; a ``Measurable`` type takes from it what it needs.
public struct MeasuredValue: Hashable, Sendable {
    package let measurement: Measurement
    /// What others measured at that time, in the order in which they were asked for; nil: it is not known.
    private let companions: [Measurement?]

    /// Wraps what a device has measured, and what others have measured at the same time.
    package init(_ measurement: Measurement, with companions: [Measurement?] = []) {
        (self.measurement, self.companions) = (measurement, companions)
    }

    /// What one of the others measured, by its type; nil: that is not known, or was not asked for.
    package func companion<Value: KindMeasurable>(_ type: Value.Type) -> Value? {
        for case .some(.values(let values)) in companions where values.kind == Value.kind {
            return Value(.values(values))
        }
        return nil
    }

    /// A location.
    public static func location(_ location: Location) -> Self { Self(.location(location)) }

    /// An orientation.
    public static func orientation(_ orientation: Orientation) -> Self { Self(.orientation(orientation)) }

    /// Numbers for the channels of a kind, in their order and in its unit; a number that is missing is 0.
    public static func numbers(_ numbers: [Double], of kind: Kind) -> Self {
        var vector = SIMD4<Double>.zero
        for (channel, number) in zip(kind.row.channels.indices, numbers) { vector[channel] = number }
        return Self(.values(Values(kind, vector)))
    }

    /// What is measured.
    public var kind: Kind { measurement.kind }

    /// The numbers of the kind's channels, in their order; none for a location or an orientation.
    public var numbers: [Double] { if case .values(let values) = measurement { values.numbers } else { [] } }
}

/// A value that resources of one kind measure: a location, a vector such as an acceleration, or a type of your own.
///
///     struct Tilt: Measurable {
///         static let firstResource = ResourceName.accelerometer
///         let radians: Double
///         init?(_ measured: MeasuredValue) {
///             guard let acceleration = Acceleration(measured) else { return nil }
///             radians = atan2(acceleration.x, acceleration.z)
///         }
///     }
public protocol Measurable: Equatable, Sendable {
    /// The resource that is meant if none is named.
    static var firstResource: ResourceName { get }

    /// The value of a measured value of any kind; nil if it is of another kind.
    init?(_ measured: MeasuredValue)
}

extension Measurable {
    /// The value of what a device has measured; nil if it is of another kind.
    package init?(_ measurement: Measurement) { self.init(MeasuredValue(measurement)) }
}

/// A value of one of the kinds in the table, with a number for each channel.
public protocol KindMeasurable: Measurable {
    /// The kind.
    static var kind: Kind { get }
}

extension KindMeasurable {
    /// The first resource of the kind.
    public static var firstResource: ResourceName { kind.row.firstResource }

    /// Numbers with the names of the kind's channels, and its unit: `x 0.02, y 0, z 9.81 m/s²`.
    fileprivate static func text(_ numbers: [Double]) -> String {
        let row = kind.row
        let texts = zip(row.channels, numbers).map { channel, number in
            row.channels.count == 1
                ? number.text(digits: row.unit.decimals) : "\(channel) \(number.text(digits: row.unit.decimals))"
        }
        let unit = row.unit.symbol
        return texts.joined(separator: ", ") + (unit.isEmpty || unit == "°" ? unit : " \(unit)")
    }
}

extension Vector: KindMeasurable, CustomStringConvertible {
    /// The kind.
    public static var kind: Kind { Of.kind }

    /// The components with their unit, rounded for people.
    public var description: String { Self.text([x, y, z]) }
}

extension Scalar: KindMeasurable, CustomStringConvertible {
    /// The kind.
    public static var kind: Kind { Of.kind }

    /// The number with its unit, rounded for people.
    public var description: String { Self.text([value]) }
}

extension UnitQuaternion: KindMeasurable, CustomStringConvertible {
    /// The kind.
    public static var kind: Kind { Of.kind }

    /// The components, rounded for people.
    public var description: String { Self.text([x, y, z, w]) }
}

extension AttitudeError: KindMeasurable, CustomStringConvertible {
    /// The kind.
    public static var kind: Kind { .attitudeError }

    /// Both errors, rounded for people.
    public var description: String { Self.text([tiltDegrees, headingDegrees]) }
}

extension Rest: KindMeasurable, CustomStringConvertible {
    /// The kind.
    public static var kind: Kind { .rest }

    /// Whether the device lies still.
    public var description: String { isAtRest ? "at rest" : "moving" }
}

extension Proximity: KindMeasurable, CustomStringConvertible {
    /// The kind.
    public static var kind: Kind { .proximity }

    /// Whether something is near, and the sensor's count.
    public var description: String { "\(isNear ? "near" : "far") (\(raw.text(digits: 0)))" }
}

extension Orientation: KindMeasurable, CustomStringConvertible {
    /// The kind.
    public static var kind: Kind { .orientation }

    /// The edge of a measured value; nil if that is of another kind.
    public init?(_ measured: MeasuredValue) {
        guard case .orientation(let orientation) = measured.measurement else { return nil }
        self = orientation
    }

    /// Its name on the wire.
    public var description: String { rawValue }
}
