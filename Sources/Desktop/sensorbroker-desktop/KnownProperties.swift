internal import BrokerClient

/// The properties of all sensors, as they were last measured.
struct KnownProperties: Sendable {
    /// What was measured last; of a sensor that is not there, what is announced when it comes.
    private var properties = PerSensor(\.row.unknown)
    /// The sensors that there are.
    private(set) var present: Set<DesktopSensor> = []
    /// The unit of light.
    private var lightUnit = "lux"

    /// The properties of a sensor, in their order.
    func all(of sensor: DesktopSensor) -> [Property] { properties[sensor] }

    /// The value of a property by its name; nil if there is no such property.
    func value(of name: String) -> Property.Value? {
        for sensor in DesktopSensor.allCases {
            if sensor.row.presence == name { return .flag(present.contains(sensor)) }
            // A reading may be there before the list that its sensor is in, or after the one that it is not in any more.
            let isHidden = sensor.row.forgets && !present.contains(sensor)
            let known = isHidden ? sensor.row.unknown : all(of: sensor)
            if let property = known.first(where: { $0.name == name }) { return property.value }
        }
        return nil
    }

    /// Notes that a sensor has come or gone; returns what is to be announced, nothing if that was known.
    ///
    /// Like iio-sensor-proxy: what comes is announced with its values.
    mutating func note(_ sensor: DesktopSensor, isPresent: Bool) -> [Property] {
        guard isPresent != present.contains(sensor) else { return [] }
        let presence = Property(name: sensor.row.presence, value: .flag(isPresent))
        guard isPresent else {
            present.remove(sensor)
            forget(sensor)
            return [presence]
        }
        present.insert(sensor)
        return [presence] + all(of: sensor)
    }

    /// Forgets what was measured, if that is wrong once the sensor has gone.
    mutating func forget(_ sensor: DesktopSensor) {
        if sensor.row.forgets { properties[sensor] = sensor.row.unknown }
    }

    /// Notes the unit of the broker's light; a sensor without calibration has no lux.
    mutating func noteLightUnit(_ unit: String) { lightUnit = unit == "lx" || unit == "lux" ? "lux" : "vendor" }

    /// Takes a reading for a sensor; returns the properties that are to be announced, nothing if none has changed.
    mutating func take(_ reading: Reading, for sensor: DesktopSensor) -> [Property] {
        let measured = Self.properties(of: reading, for: sensor, lightUnit: lightUnit)
        let before = all(of: sensor)
        // A broker that was started anew does not know the orientation of a device that lies flat; we still do.
        let changed = measured.filter { property in
            property.value != .text("undefined") && !before.contains(property)
        }
        guard !changed.isEmpty else { return [] }
        properties[sensor] = before.map { old in changed.first { $0.name == old.name } ?? old }
        // The unit goes with the level.
        return sensor == .light ? all(of: .light) : changed
    }

    /// The properties that follow from a reading; from its newest sample, if it has several.
    private static func properties(
        of reading: Reading, for sensor: DesktopSensor, lightUnit: String
    ) -> [Property] {
        switch (sensor, reading.content) {
        case (.accelerometer, .orientation(let orientation)):
            return [Property(name: "AccelerometerOrientation", value: .text(orientation))]
        case (_, .values(let columns)):
            guard columns.count > 0, let number = columns.numbers(columns.count - 1).first else { return [] }
            return scalar(number, of: sensor, lightUnit: lightUnit)
        default: return []
        }
    }

    private static func scalar(_ number: Double, of sensor: DesktopSensor, lightUnit: String) -> [Property] {
        switch sensor {
        case .accelerometer:
            [Property(name: "AccelerometerTilt", value: .text(TiltWord(degrees: number).rawValue))]
        case .light:
            [
                Property(name: "LightLevelUnit", value: .text(lightUnit)),
                Property(name: "LightLevel", value: .number(number)),
            ]
        case .proximity: [Property(name: "ProximityNear", value: .flag(number >= 0.5))]
        case .compass: [Property(name: "CompassHeading", value: .number(number))]
        }
    }
}
