/// A kind with one number per measurement.
public protocol ScalarKind: Sendable {
    /// The kind.
    static var kind: Kind { get }
}

/// The number of a measurement whose kind has one.
public struct Scalar<Of: ScalarKind>: Hashable, Codable, Sendable {
    /// The number, in the unit of the kind.
    public var value: Double

    /// A finite number, in the unit of the kind.
    public init(_ value: Double) { self.value = value }

    /// The number of a measurement; nil if that is of another kind.
    public init?(_ measured: MeasuredValue) {
        guard case .values(let values) = measured, values.kind == Of.kind else { return nil }
        value = values[0]
    }
}

/// The direction of the device in degrees, clockwise from magnetic north.
public typealias Heading = Scalar<HeadingKind>

extension Heading {
    /// The direction in degrees, clockwise from magnetic north.
    public var degrees: Double { value }
}

/// The kind of a `Heading`.
public enum HeadingKind: ScalarKind {
    /// Heading.
    public static var kind: Kind { .heading }
}

/// How bright it is, in lux.
public typealias Illuminance = Scalar<IlluminanceKind>

extension Illuminance {
    /// The illuminance in lux.
    public var lux: Double { value }
}

/// The kind of an `Illuminance`.
public enum IlluminanceKind: ScalarKind {
    /// Illuminance.
    public static var kind: Kind { .illuminance }
}

/// The pressure of the air in Pa.
public typealias Pressure = Scalar<PressureKind>

extension Pressure {
    /// The pressure in pascals.
    public var pascals: Double { value }
}

/// The kind of a `Pressure`.
public enum PressureKind: ScalarKind {
    /// Pressure.
    public static var kind: Kind { .pressure }
}

/// A temperature in °C.
public typealias Temperature = Scalar<TemperatureKind>

extension Temperature {
    /// The temperature in degrees Celsius.
    public var degreesCelsius: Double { value }
}

/// The kind of a `Temperature`.
public enum TemperatureKind: ScalarKind {
    /// Temperature.
    public static var kind: Kind { .temperature }
}

/// The relative humidity of the air in %.
public typealias Humidity = Scalar<HumidityKind>

extension Humidity {
    /// The relative humidity in percent.
    public var percent: Double { value }
}

/// The kind of a `Humidity`.
public enum HumidityKind: ScalarKind {
    /// Relative humidity.
    public static var kind: Kind { .humidity }
}

/// A voltage in V.
public typealias Voltage = Scalar<VoltageKind>

extension Voltage {
    /// The voltage in volts.
    public var volts: Double { value }
}

/// The kind of a `Voltage`.
public enum VoltageKind: ScalarKind {
    /// Voltage.
    public static var kind: Kind { .voltage }
}

/// A current in A.
public typealias Current = Scalar<CurrentKind>

extension Current {
    /// The current in amperes.
    public var amperes: Double { value }
}

/// The kind of a `Current`.
public enum CurrentKind: ScalarKind {
    /// Current.
    public static var kind: Kind { .current }
}

/// How far the screen leans from the vertical, in degrees: 90 if it points to the sky, -90 if it points to the ground.
public typealias Tilt = Scalar<TiltKind>

extension Tilt {
    /// The angle in degrees, from -90 to 90.
    public var degrees: Double { value }
}

/// The kind of a `Tilt`.
public enum TiltKind: ScalarKind {
    /// Tilt.
    public static var kind: Kind { .tilt }
}

/// A power in W.
public typealias Power = Scalar<PowerKind>

extension Power {
    /// The power in watts.
    public var watts: Double { value }
}

/// The kind of a `Power`.
public enum PowerKind: ScalarKind {
    /// The electric power at an input of a converter.
    public static var kind: Kind { .power }
}

/// An energy in J.
public typealias Energy = Scalar<EnergyKind>

extension Energy {
    /// The energy in joules.
    public var joules: Double { value }
}

/// The kind of an `Energy`.
public enum EnergyKind: ScalarKind {
    /// The electric energy that has passed an input of a converter.
    public static var kind: Kind { .energy }
}

/// A resistance in Ω.
public typealias Resistance = Scalar<ResistanceKind>

extension Resistance {
    /// The resistance in ohms.
    public var ohms: Double { value }
}

/// The kind of a `Resistance`.
public enum ResistanceKind: ScalarKind {
    /// An electric resistance.
    public static var kind: Kind { .resistance }
}
