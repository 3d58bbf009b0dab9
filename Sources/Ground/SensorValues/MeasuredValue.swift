/// A measured value of any kind, in the form of its kind.
public enum MeasuredValue: Hashable, Sendable {
    /// Indirect, to keep samples small: a location has some 400 bytes and comes once a second, values have 33 bytes and
    /// come thousands of times a second.
    indirect case location(Location)
    /// A number for each channel.
    case values(Values)
    /// Which edge is up.
    case orientation(Orientation)

    /// Values along three axes.
    public static func values(_ vector: Vector<some VectorKind>) -> Self { .values(vector.values) }

    /// The value of a channel; nil if the measurement has no channels.
    public func number(ofChannel channel: Int) -> Double? {
        if case .values(let values) = self { values[channel] } else { nil }
    }

    /// What is measured.
    public var kind: Kind {
        switch self {
        case .location: .location
        case .values(let values): values.kind
        case .orientation: .orientation
        }
    }
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

extension Rotation: KindMeasurable, CustomStringConvertible {
    /// The kind.
    public static var kind: Kind { .rotation }

    /// The components, rounded for people.
    public var description: String { Self.text([x, y, z, w]) }
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
        guard case .orientation(let orientation) = measured else { return nil }
        self = orientation
    }

    /// Its name on the wire.
    public var description: String { rawValue }
}
