internal import BrokerClient

/// A sensor that programs of the desktop can claim.
enum DesktopSensor: Int, CaseIterable, Sendable {
    case accelerometer
    case light
    case proximity
    case compass

    /// How a sensor appears on the bus, and what it needs of the broker.
    struct Row: Sendable {
        /// The word in the names of its methods: `ClaimAccelerometer`.
        let word: String
        /// The object that has its methods and properties.
        let object: BusObject
        /// The property that shows whether there is one.
        let presence: String
        /// The sensor's properties before anything was measured, in the order in which iio-sensor-proxy sends them.
        let unknown: [Property]
        /// Whether its properties are unknown again when it goes.
        let forgets: Bool
        /// The broker's resource; while that is available, there is a sensor.
        let resource: String
        /// What is subscribed to while it is claimed.
        let requests: [Request]
    }

    /// The sensor's row in the table.
    var row: Row { Self.table[rawValue] }

    /// The sensor of a method, and whether the method claims it; nil if there is no such method.
    static func named(by method: String) -> (sensor: Self, claims: Bool)? {
        for sensor in allCases {
            if method == "Claim" + sensor.row.word { return (sensor, true) }
            if method == "Release" + sensor.row.word { return (sensor, false) }
        }
        return nil
    }

    // About as soon as iio-sensor-proxy, which looks every 0.7 s at what a sensor has measured every 0.1 s. With what the broker
    // does besides, such as looking for drivers that hang, the host is woken no more often.
    private static let lookNanoseconds: Int64 = 850_000_000

    private static let table = [
        Row(
            word: "Accelerometer", object: .sensors, presence: "HasAccelerometer",
            unknown: [
                Property(name: "AccelerometerOrientation", value: .text("undefined")),
                Property(name: "AccelerometerTilt", value: .text("undefined")),
            ], forgets: true, resource: "orientation",
            requests: [
                // With labels, what comes at once comes in one message.
                Request("orientation", every: lookNanoseconds, label: "orientation"),
                Request("tilt", every: lookNanoseconds, label: "tilt"),
            ]),
        Row(
            word: "Light", object: .sensors, presence: "HasAmbientLight",
            unknown: [
                Property(name: "LightLevelUnit", value: .text("lux")), Property(name: "LightLevel", value: .number(0)),
            ], forgets: false, resource: "light", requests: [Request("light", every: lookNanoseconds)]),
        Row(
            word: "Proximity", object: .sensors, presence: "HasProximity",
            unknown: [Property(name: "ProximityNear", value: .flag(false))], forgets: true, resource: "proximity",
            requests: [Request("proximity", every: 200_000_000)]),
        Row(
            word: "Compass", object: .compass, presence: "HasCompass",
            unknown: [Property(name: "CompassHeading", value: .number(-1))], forgets: true, resource: "heading",
            requests: [Request("heading", every: 200_000_000, ifChangedBy: 0.1)]),
    ]
}

/// A value for each sensor.
struct PerSensor<Value: Sendable>: Sendable {
    /// All of them, in the order of the sensors.
    private(set) var all: [Value]

    /// Values that a function makes.
    init(_ value: (DesktopSensor) -> Value) { all = DesktopSensor.allCases.map(value) }

    subscript(sensor: DesktopSensor) -> Value {
        get { all[sensor.rawValue] }
        set { all[sensor.rawValue] = newValue }
    }
}

/// An object on the bus, with its one interface.
enum BusObject: Sendable {
    /// Everything but the compass.
    case sensors
    /// The compass.
    case compass

    /// The object's path.
    var path: String { self == .sensors ? "/net/hadess/SensorProxy" : "/net/hadess/SensorProxy/Compass" }
    /// The object's interface.
    var interface: String { self == .sensors ? "net.hadess.SensorProxy" : "net.hadess.SensorProxy.Compass" }
}

/// A property of an object on the bus.
struct Property: Equatable, Sendable {
    /// The property's value; the type on the bus follows from it.
    enum Value: Equatable, Sendable {
        /// Type `b`.
        case flag(Bool)
        /// Type `s`.
        case text(String)
        /// Type `d`.
        case number(Double)
    }

    /// The property's name.
    let name: String
    /// The property's value.
    let value: Value
}

extension Request {
    /// A request for readings at an interval, if they differ by this much.
    fileprivate init(
        _ resource: String, every intervalNanoseconds: Int64, ifChangedBy change: Double? = nil, label: String? = nil
    ) {
        self.init(resource: resource)
        self.label = label
        self.intervalNanoseconds = intervalNanoseconds
        minimumChange = change
    }
}
