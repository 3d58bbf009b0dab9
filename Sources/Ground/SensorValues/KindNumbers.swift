// Written by 'make generated' from the table of kinds, KindRow+Table.swift.

/// The direction of the device's top edge, clockwise from magnetic north, in °.
public typealias Heading = Scalar<HeadingKind>

/// The kind of a `Heading`.
public enum HeadingKind: ScalarKind {
    /// The direction of the device's top edge, clockwise from magnetic north.
    public static var kind: Kind { .heading }
}

extension Heading {
    /// The number, in °.
    public var degrees: Double { value }
}

/// How bright it is, in lx.
public typealias Illuminance = Scalar<IlluminanceKind>

/// The kind of an `Illuminance`.
public enum IlluminanceKind: ScalarKind {
    /// How bright it is.
    public static var kind: Kind { .illuminance }
}

extension Illuminance {
    /// The number, in lx.
    public var lux: Double { value }
}

/// The pressure of the air, in Pa.
public typealias Pressure = Scalar<PressureKind>

/// The kind of a `Pressure`.
public enum PressureKind: ScalarKind {
    /// The pressure of the air.
    public static var kind: Kind { .pressure }
}

extension Pressure {
    /// The number, in Pa.
    public var pascals: Double { value }
}

/// The temperature at the sensor, in °C.
public typealias Temperature = Scalar<TemperatureKind>

/// The kind of a `Temperature`.
public enum TemperatureKind: ScalarKind {
    /// The temperature at the sensor.
    public static var kind: Kind { .temperature }
}

extension Temperature {
    /// The number, in °C.
    public var degreesCelsius: Double { value }
}

/// The relative humidity of the air, in %.
public typealias Humidity = Scalar<HumidityKind>

/// The kind of a `Humidity`.
public enum HumidityKind: ScalarKind {
    /// The relative humidity of the air.
    public static var kind: Kind { .humidity }
}

extension Humidity {
    /// The number, in %.
    public var percent: Double { value }
}

/// The voltage at an input of a converter, in V.
public typealias Voltage = Scalar<VoltageKind>

/// The kind of a `Voltage`.
public enum VoltageKind: ScalarKind {
    /// The voltage at an input of a converter.
    public static var kind: Kind { .voltage }
}

extension Voltage {
    /// The number, in V.
    public var volts: Double { value }
}

/// The current through an input of a converter, in A.
public typealias Current = Scalar<CurrentKind>

/// The kind of a `Current`.
public enum CurrentKind: ScalarKind {
    /// The current through an input of a converter.
    public static var kind: Kind { .current }
}

extension Current {
    /// The number, in A.
    public var amperes: Double { value }
}

/// How far the screen leans from the vertical, in °.
///
/// It is 90 if the screen points to the sky, -90 if it points to the ground.
public typealias Tilt = Scalar<TiltKind>

/// The kind of a `Tilt`.
public enum TiltKind: ScalarKind {
    /// How far the screen leans from the vertical.
    public static var kind: Kind { .tilt }
}

extension Tilt {
    /// The number, in °.
    public var degrees: Double { value }
}

/// The electric power at an input of a converter, in W.
public typealias Power = Scalar<PowerKind>

/// The kind of a `Power`.
public enum PowerKind: ScalarKind {
    /// The electric power at an input of a converter.
    public static var kind: Kind { .power }
}

extension Power {
    /// The number, in W.
    public var watts: Double { value }
}

/// The electric energy that has passed an input of a converter, in J.
public typealias Energy = Scalar<EnergyKind>

/// The kind of an `Energy`.
public enum EnergyKind: ScalarKind {
    /// The electric energy that has passed an input of a converter.
    public static var kind: Kind { .energy }
}

extension Energy {
    /// The number, in J.
    public var joules: Double { value }
}

/// An electric resistance, in Ω.
public typealias Resistance = Scalar<ResistanceKind>

/// The kind of a `Resistance`.
public enum ResistanceKind: ScalarKind {
    /// An electric resistance.
    public static var kind: Kind { .resistance }
}

extension Resistance {
    /// The number, in Ω.
    public var ohms: Double { value }
}

/// The temperature around a sensor that measures that of an object, in °C.
public typealias AmbientTemperature = Scalar<AmbientTemperatureKind>

/// The kind of an `AmbientTemperature`.
public enum AmbientTemperatureKind: ScalarKind {
    /// The temperature around a sensor that measures that of an object.
    public static var kind: Kind { .ambientTemperature }
}

extension AmbientTemperature {
    /// The number, in °C.
    public var degreesCelsius: Double { value }
}

/// The temperature of the object before a sensor, in °C.
public typealias ObjectTemperature = Scalar<ObjectTemperatureKind>

/// The kind of an `ObjectTemperature`.
public enum ObjectTemperatureKind: ScalarKind {
    /// The temperature of the object before a sensor.
    public static var kind: Kind { .objectTemperature }
}

extension ObjectTemperature {
    /// The number, in °C.
    public var degreesCelsius: Double { value }
}

/// How much carbon dioxide is in the air, in ppm.
public typealias CarbonDioxide = Scalar<CarbonDioxideKind>

/// The kind of a `CarbonDioxide`.
public enum CarbonDioxideKind: ScalarKind {
    /// How much carbon dioxide is in the air.
    public static var kind: Kind { .carbonDioxide }
}

extension CarbonDioxide {
    /// The number, in ppm.
    public var partsPerMillion: Double { value }
}

/// How much of volatile organic compounds is in the air, in ppm.
public typealias VolatileOrganicCompounds = Scalar<VolatileOrganicCompoundsKind>

/// The kind of a `VolatileOrganicCompounds`.
public enum VolatileOrganicCompoundsKind: ScalarKind {
    /// How much of volatile organic compounds is in the air.
    public static var kind: Kind { .volatileOrganicCompounds }
}

extension VolatileOrganicCompounds {
    /// The number, in ppm.
    public var partsPerMillion: Double { value }
}

/// How much oxygen is in the air, in %.
public typealias Oxygen = Scalar<OxygenKind>

/// The kind of an `Oxygen`.
public enum OxygenKind: ScalarKind {
    /// How much oxygen is in the air.
    public static var kind: Kind { .oxygen }
}

extension Oxygen {
    /// The number, in %.
    public var percent: Double { value }
}

/// The mass of particles of up to 1 µm in the air, in µg/m³.
public typealias ParticulateMatter1 = Scalar<ParticulateMatter1Kind>

/// The kind of a `ParticulateMatter1`.
public enum ParticulateMatter1Kind: ScalarKind {
    /// The mass of particles of up to 1 µm in the air.
    public static var kind: Kind { .pm1 }
}

extension ParticulateMatter1 {
    /// The number, in µg/m³.
    public var microgramsPerCubicMeter: Double { value }
}

/// The mass of particles of up to 2.5 µm in the air, in µg/m³.
public typealias ParticulateMatter2p5 = Scalar<ParticulateMatter2p5Kind>

/// The kind of a `ParticulateMatter2p5`.
public enum ParticulateMatter2p5Kind: ScalarKind {
    /// The mass of particles of up to 2.5 µm in the air.
    public static var kind: Kind { .pm2p5 }
}

extension ParticulateMatter2p5 {
    /// The number, in µg/m³.
    public var microgramsPerCubicMeter: Double { value }
}

/// The mass of particles of up to 4 µm in the air, in µg/m³.
public typealias ParticulateMatter4 = Scalar<ParticulateMatter4Kind>

/// The kind of a `ParticulateMatter4`.
public enum ParticulateMatter4Kind: ScalarKind {
    /// The mass of particles of up to 4 µm in the air.
    public static var kind: Kind { .pm4 }
}

extension ParticulateMatter4 {
    /// The number, in µg/m³.
    public var microgramsPerCubicMeter: Double { value }
}

/// The mass of particles of up to 10 µm in the air, in µg/m³.
public typealias ParticulateMatter10 = Scalar<ParticulateMatter10Kind>

/// The kind of a `ParticulateMatter10`.
public enum ParticulateMatter10Kind: ScalarKind {
    /// The mass of particles of up to 10 µm in the air.
    public static var kind: Kind { .pm10 }
}

extension ParticulateMatter10 {
    /// The number, in µg/m³.
    public var microgramsPerCubicMeter: Double { value }
}

/// The ultraviolet index, by which the sun burns the skin, in UVI.
public typealias UltravioletIndex = Scalar<UltravioletIndexKind>

/// The kind of a `UltravioletIndex`.
public enum UltravioletIndexKind: ScalarKind {
    /// The ultraviolet index, by which the sun burns the skin.
    public static var kind: Kind { .ultravioletIndex }
}

extension UltravioletIndex {
    /// The number, in UVI.
    public var index: Double { value }
}

/// The direction of the device's top edge, clockwise from true north, in °.
///
/// There is none until the receiver has a position.
public typealias TrueHeading = Scalar<TrueHeadingKind>

/// The kind of a `TrueHeading`.
public enum TrueHeadingKind: ScalarKind {
    /// The direction of the device's top edge, clockwise from true north.
    public static var kind: Kind { .trueHeading }
}

extension TrueHeading {
    /// The number, in °.
    public var degrees: Double { value }
}

/// How far a device that can be folded is open, in °.
///
/// It is 0 if it is closed, 180 if it is flat, 360 if it is folded round.
public typealias Hinge = Scalar<HingeKind>

/// The kind of a `Hinge`.
public enum HingeKind: ScalarKind {
    /// How far a device that can be folded is open.
    public static var kind: Kind { .hinge }
}

extension Hinge {
    /// The number, in °.
    public var degrees: Double { value }
}

/// The steps that were counted since the counter was turned on.
public typealias StepCount = Scalar<StepCountKind>

/// The kind of a `StepCount`.
public enum StepCountKind: ScalarKind {
    /// The steps that were counted since the counter was turned on.
    public static var kind: Kind { .steps }
}

extension StepCount {
    /// The number.
    public var count: Double { value }
}
