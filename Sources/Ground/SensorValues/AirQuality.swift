/// The temperature around a sensor, in °C.
public typealias AmbientTemperature = Scalar<AmbientTemperatureKind>

extension AmbientTemperature {
    /// The temperature in degrees Celsius.
    public var degreesCelsius: Double { value }
}

/// The kind of an `AmbientTemperature`.
public enum AmbientTemperatureKind: ScalarKind {
    /// The temperature around a sensor that measures that of an object.
    public static var kind: Kind { .ambientTemperature }
}

/// The temperature of an object before a sensor, in °C.
public typealias ObjectTemperature = Scalar<ObjectTemperatureKind>

extension ObjectTemperature {
    /// The temperature in degrees Celsius.
    public var degreesCelsius: Double { value }
}

/// The kind of an `ObjectTemperature`.
public enum ObjectTemperatureKind: ScalarKind {
    /// The temperature of the object before a sensor.
    public static var kind: Kind { .objectTemperature }
}

/// The share of carbon dioxide in the air, in ppm.
public typealias CarbonDioxide = Scalar<CarbonDioxideKind>

extension CarbonDioxide {
    /// The share in parts per million.
    public var partsPerMillion: Double { value }
}

/// The kind of a `CarbonDioxide`.
public enum CarbonDioxideKind: ScalarKind {
    /// How much carbon dioxide is in the air.
    public static var kind: Kind { .carbonDioxide }
}

/// The share of volatile organic compounds in the air, in ppm.
public typealias VolatileOrganicCompounds = Scalar<VolatileOrganicCompoundsKind>

extension VolatileOrganicCompounds {
    /// The share in parts per million.
    public var partsPerMillion: Double { value }
}

/// The kind of a `VolatileOrganicCompounds`.
public enum VolatileOrganicCompoundsKind: ScalarKind {
    /// How much of volatile organic compounds is in the air.
    public static var kind: Kind { .volatileOrganicCompounds }
}

/// The share of oxygen in the air, in %.
public typealias Oxygen = Scalar<OxygenKind>

extension Oxygen {
    /// The share in percent.
    public var percent: Double { value }
}

/// The kind of an `Oxygen`.
public enum OxygenKind: ScalarKind {
    /// How much oxygen is in the air.
    public static var kind: Kind { .oxygen }
}

/// The mass of particles of up to 1 µm in the air, in µg/m³.
public typealias ParticulateMatter1 = Scalar<ParticulateMatter1Kind>

extension ParticulateMatter1 {
    /// The mass in micrograms per cubic metre.
    public var microgramsPerCubicMeter: Double { value }
}

/// The kind of a `ParticulateMatter1`.
public enum ParticulateMatter1Kind: ScalarKind {
    /// The mass of particles of up to 1 µm in the air.
    public static var kind: Kind { .pm1 }
}

/// The mass of particles of up to 2.5 µm in the air, in µg/m³.
public typealias ParticulateMatter2p5 = Scalar<ParticulateMatter2p5Kind>

extension ParticulateMatter2p5 {
    /// The mass in micrograms per cubic metre.
    public var microgramsPerCubicMeter: Double { value }
}

/// The kind of a `ParticulateMatter2p5`.
public enum ParticulateMatter2p5Kind: ScalarKind {
    /// The mass of particles of up to 2.5 µm in the air.
    public static var kind: Kind { .pm2p5 }
}

/// The mass of particles of up to 4 µm in the air, in µg/m³.
public typealias ParticulateMatter4 = Scalar<ParticulateMatter4Kind>

extension ParticulateMatter4 {
    /// The mass in micrograms per cubic metre.
    public var microgramsPerCubicMeter: Double { value }
}

/// The kind of a `ParticulateMatter4`.
public enum ParticulateMatter4Kind: ScalarKind {
    /// The mass of particles of up to 4 µm in the air.
    public static var kind: Kind { .pm4 }
}

/// The mass of particles of up to 10 µm in the air, in µg/m³.
public typealias ParticulateMatter10 = Scalar<ParticulateMatter10Kind>

extension ParticulateMatter10 {
    /// The mass in micrograms per cubic metre.
    public var microgramsPerCubicMeter: Double { value }
}

/// The kind of a `ParticulateMatter10`.
public enum ParticulateMatter10Kind: ScalarKind {
    /// The mass of particles of up to 10 µm in the air.
    public static var kind: Kind { .pm10 }
}
