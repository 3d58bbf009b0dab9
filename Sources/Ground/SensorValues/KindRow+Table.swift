extension KindRow {
    /// All kinds.
    ///
    /// A new kind needs a row at the end. `make generated` writes its constants and types for Swift programs, and
    /// its lines in files and pages that list kinds.
    static let table: [KindRow] = [
        KindRow(
            "location", resource: "location", form: .location,
            unit: Unit("m", [("km", 1_000), ("cm", 0.01)], decimals: 1), change: .greatCircle,
            shortestNanoseconds: 50_000_000, standardNanoseconds: 1_000_000_000, access: .everyone, source: .driver,
            mock: .drive,
            words: KindWords(
                "position, speed and time of a receiver",
                sensor: "location", sensorType: "LocationManager")),
        KindRow(
            "acceleration", resource: "accelerometer", channels: ["x", "y", "z"],
            otherNames: ["a", "acc", "accel", "gf"],
            unit: .acceleration,
            frame: .device, range: -100_000...100_000, access: .everyone,
            source: .iio(IIOChannels("accel")), mock: .motion,
            ros: .imu,
            words: KindWords(
                "acceleration along the axes of the device, gravity included",
                details: "A device at rest with its screen up reads +9.81 on z.",
                sensor: "accelerometer", sensorType: "Accelerometer", constant: "accelerometer")),
        KindRow(
            "orientation", resource: "orientation", form: .orientation, reporting: .onChange, mean: .newest,
            change: .any, shortestNanoseconds: 100_000_000, access: .like([.acceleration]),
            source: .derived(from: [.acceleration]),
            words: KindWords(
                "which edge of the device is up",
                sensor: "orientation", sensorType: "OrientationSensor")),
        KindRow(
            "angularVelocity", resource: "gyroscope", channels: ["x", "y", "z"],
            otherNames: ["w", "g", "gyr", "gyro", "gyrorotation", "rotationrate", "motionrotationrate"],
            unit: .angularVelocity,
            frame: .device, range: -1_000...1_000, access: .like([.acceleration]),
            source: .iio(IIOChannels("anglvel")), mock: .motion,
            ros: .imu,
            words: KindWords(
                "angular velocity about the axes of the device",
                details: "Counter-clockwise is positive, seen from the end of the axis.",
                sensor: "gyroscope", sensorType: "Gyroscope", constant: "gyroscope")),
        KindRow(
            "magneticField", resource: "magnetometer", channels: ["x", "y", "z"],
            otherNames: ["m", "b", "mag", "magn", "magnet", "compass", "magneticfield"],
            unit: Unit(
                "µT", [("uT", 1), ("μT", 1), ("nT", 0.001), ("mT", 1_000), ("G", 100), ("gauss", 100), ("mG", 0.1)],
                decimals: 2),
            frame: .device, range: -1e6...1e6,
            source: .iio(IIOChannels("magn", factor: 100)), mock: .motion,
            ros: .magneticField,
            words: KindWords(
                "the magnetic field along the axes of the device",
                sensor: "magnetometer", sensorType: "Magnetometer", constant: "magnetometer")),
        KindRow(
            "heading", resource: "heading", channels: ["value"],
            unit: .degrees, mean: .circular, change: .direction,
            range: 0...360,
            access: .desktop, source: .iio(IIOChannels("rot_from_north_magnetic_tilt_comp", shape: .single)),
            alsoFrom: [.acceleration, .angularVelocity, .magneticField], mock: .motion,
            words: KindWords(
                "the direction of the device's top edge, clockwise from magnetic north",
                sensor: "compass", sensorType: "Compass", number: "degrees")),
        KindRow(
            "gravity", resource: "gravity", channels: ["x", "y", "z"], otherNames: ["grav", "motiongravity"],
            unit: .acceleration,
            frame: .device, range: -1_000...1_000, access: .like([.acceleration, .angularVelocity]),
            source: .iio(IIOChannels("gravity")), alsoFrom: [.acceleration, .angularVelocity],
            mock: .motion,
            ros: .vector,
            words: KindWords(
                "gravity along the axes of the device",
                details: "A device with its screen up reads +9.81 on z.",
                sensor: "sensor of gravity", sensorType: "GravitySensor")),
        KindRow(
            "linearAcceleration", resource: "linearacceleration", channels: ["x", "y", "z"],
            otherNames: ["linacc", "linear", "useracceleration", "motionuseracceleration"], unit: .acceleration,
            frame: .device, range: -100_000...100_000, access: .like([.acceleration, .angularVelocity]),
            source: .iio(IIOChannels("accel_linear")), alsoFrom: [.acceleration, .angularVelocity],
            mock: .motion,
            ros: .vector,
            words: KindWords(
                "acceleration along the axes of the device, without gravity",
                details: "A device at rest reads 0.",
                sensor: "sensor of acceleration without gravity", sensorType: "LinearAccelerometer")),
        KindRow(
            "rotation", resource: "rotation", channels: ["x", "y", "z", "w"], otherNames: ["q", "quat", "quaternion"],
            unit: Unit("", decimals: 4), changeUnit: .angle, mean: .spherical, change: .rotation,
            range: -1.000_001...1.000_001,
            source: .iio(IIOChannels("rot_quaternion", shape: .repeated)),
            alsoFrom: [.acceleration, .angularVelocity, .magneticField], mock: .motion,
            ros: .quaternion,
            words: KindWords(
                "how the device is turned from magnetic east, magnetic north and up, as a unit quaternion",
                sensor: "sensor of rotation", sensorType: "RotationSensor")),
        KindRow(
            "inclination", resource: "inclination", channels: ["x", "y", "z"], otherNames: ["incli", "tilt"],
            unit: .angle, range: -10...10, access: .like([.acceleration]),
            // The kernel's rule says degrees; the driver of HID sensors scales to radians.
            source: .iio(IIOChannels("incli", factor: .pi / 180, ofDrivers: ["incli_3d": 1])),
            mock: .motion,
            ros: .vector,
            words: KindWords(
                "how far the axes of the device are from the horizontal",
                sensor: "inclinometer", sensorType: "Inclinometer")),
        KindRow(
            "illuminance", resource: "light", channels: ["value"], otherNames: ["lux", "light"],
            unit: Unit("lx", [("lux", 1), ("klx", 1_000)], decimals: 2), reporting: .onChange, usualChange: 1,
            range: 0...1e7, standardNanoseconds: 200_000_000,
            access: .desktop, source: .iio(IIOChannels("illuminance", shape: .single, assumesScale: true)),
            mock: .swing(around: 250, amplitude: 200),
            ros: .number("Illuminance", "illuminance"), homeAssistantClass: "illuminance",
            words: KindWords(
                "how bright it is",
                sensor: "light sensor", sensorType: "LightSensor", number: "lux", constant: "light")),
        KindRow(
            "proximity", resource: "proximity", channels: ["near", "raw"],
            unit: Unit("", decimals: 0),
            reporting: .onChange, usualChange: 1, mean: .newest, change: .normOrSwitch, range: 0...1e12,
            standardNanoseconds: 200_000_000,
            access: .desktop, source: .iio(IIOChannels("proximity", shape: .single, isScaled: false)), mock: .approach,
            words: KindWords(
                "whether something is near",
                sensor: "proximity sensor", sensorType: "ProximitySensor")),
        KindRow(
            "pressure", resource: "pressure", channels: ["value"],
            otherNames: ["press", "baro", "barometer", "airpressure", "atmosphericpressure", "altimeterpressure"],
            unit: Unit("Pa", [("hPa", 100), ("mbar", 100), ("kPa", 1_000), ("bar", 100_000)], decimals: 1),
            range: 0...1e9, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("pressure", shape: .single, factor: 1_000)),
            mock: .swing(around: 101_325, amplitude: 50),
            ros: .number("FluidPressure", "fluid_pressure"), homeAssistantClass: "atmospheric_pressure",
            words: KindWords(
                "the pressure of the air",
                sensor: "barometer", sensorType: "Barometer", number: "pascals")),
        KindRow(
            "temperature", resource: "temperature", channels: ["value"], otherNames: ["temp"],
            unit: .temperature, range: -273.15...10_000,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("temp", shape: .single, factor: 0.001)), mock: .swing(around: 21, amplitude: 2),
            ros: .number("Temperature", "temperature"), homeAssistantClass: "temperature",
            words: KindWords(
                "the temperature at the sensor",
                sensor: "thermometer", sensorType: "Thermometer", number: "degreesCelsius")),
        KindRow(
            "humidity", resource: "humidity", channels: ["value"], otherNames: ["hum", "rh", "relativehumidity"],
            unit: Unit("%", [("%RH", 1)], decimals: 1), range: -10...110, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("humidityrelative", shape: .single, factor: 0.001)),
            mock: .swing(around: 45, amplitude: 5),
            ros: .number("RelativeHumidity", "relative_humidity", divisor: 100), homeAssistantClass: "humidity",
            words: KindWords(
                "the relative humidity of the air",
                sensor: "hygrometer", sensorType: "Hygrometer", number: "percent")),
        KindRow(
            "voltage", resource: "voltage", channels: ["value"],
            unit: Unit("V", [("mV", 0.001), ("uV", 1e-6), ("µV", 1e-6), ("kV", 1_000)], decimals: 4), range: -1e6...1e6,
            source: .iio(IIOChannels("voltage", shape: .single, factor: 0.001)),
            mock: .swing(around: 12, amplitude: 0.3),
            homeAssistantClass: "voltage",
            words: KindWords(
                "the voltage at an input of a converter",
                sensor: "voltmeter", sensorType: "Voltmeter", number: "volts")),
        KindRow(
            "current", resource: "current", channels: ["value"],
            unit: Unit("A", [("mA", 0.001), ("uA", 1e-6), ("µA", 1e-6)], decimals: 4), range: -1e6...1e6,
            source: .iio(IIOChannels("current", shape: .single, factor: 0.001)),
            mock: .swing(around: 0.5, amplitude: 0.4),
            homeAssistantClass: "current",
            words: KindWords(
                "the current through an input of a converter",
                sensor: "ammeter", sensorType: "Ammeter", number: "amperes")),
        KindRow(
            "tilt", resource: "tilt", channels: ["value"],
            unit: .degrees, reporting: .onChange, usualChange: 5,
            mean: .newest, range: -90...90, shortestNanoseconds: 100_000_000, access: .like([.acceleration]),
            source: .derived(from: [.acceleration]),
            words: KindWords(
                "how far the screen leans from the vertical",
                details: "It is 90 if the screen points to the sky, -90 if it points to the ground.",
                sensor: "tilt", sensorType: "TiltSensor", number: "degrees")),
        KindRow(
            "power", resource: "power", channels: ["value"],
            unit: Unit("W", [("mW", 0.001), ("uW", 1e-6), ("µW", 1e-6), ("kW", 1_000)], decimals: 4), range: -1e9...1e9,
            source: .iio(IIOChannels("power", shape: .single, factor: 0.001)),
            mock: .swing(around: 6, amplitude: 4),
            homeAssistantClass: "power",
            words: KindWords(
                "the electric power at an input of a converter",
                sensor: "wattmeter", sensorType: "Wattmeter", number: "watts")),
        KindRow(
            "energy", resource: "energy", channels: ["value"],
            unit: Unit("J", [("kJ", 1_000), ("Wh", 3_600), ("kWh", 3_600_000)], decimals: 3), range: -1e15...1e15,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("energy", shape: .single)), mock: .swing(around: 5_000, amplitude: 100),
            words: KindWords(
                "the electric energy that has passed an input of a converter",
                sensor: "energy meter", sensorType: "EnergyMeter", number: "joules")),
        KindRow(
            "resistance", resource: "resistance", channels: ["value"],
            unit: Unit("Ω", [("ohm", 1), ("kΩ", 1_000), ("kohm", 1_000), ("MΩ", 1e6), ("Mohm", 1e6)], decimals: 1),
            range: 0...1e15, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("resistance", shape: .single)), mock: .swing(around: 10_000, amplitude: 500),
            words: KindWords(
                "an electric resistance",
                sensor: "ohmmeter", sensorType: "Ohmmeter", number: "ohms")),
        KindRow(
            "ambientTemperature", resource: "ambienttemperature", channels: ["value"], unit: .temperature,
            range: -273.15...10_000, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("temp_ambient", shape: .single, factor: 0.001)),
            mock: .swing(around: 21, amplitude: 2),
            homeAssistantClass: "temperature",
            words: KindWords(
                "the temperature around a sensor that measures that of an object",
                sensor: "thermometer of what is around an infrared sensor", sensorType: "AmbientThermometer",
                number: "degreesCelsius")),
        KindRow(
            "objectTemperature", resource: "objecttemperature", channels: ["value"], unit: .temperature,
            range: -273.15...10_000, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("temp_object", shape: .single, factor: 0.001)),
            mock: .swing(around: 36, amplitude: 1),
            homeAssistantClass: "temperature",
            words: KindWords(
                "the temperature of the object before a sensor",
                sensor: "infrared thermometer", sensorType: "ObjectThermometer", number: "degreesCelsius")),
        // The kernel's unit of concentrations is per cent.
        KindRow(
            "carbonDioxide", resource: "co2", channels: ["value"], unit: .partsPerMillion, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("concentration_co2", shape: .single, factor: 10_000)),
            mock: .swing(around: 600, amplitude: 150),
            homeAssistantClass: "carbon_dioxide",
            words: KindWords(
                "how much carbon dioxide is in the air",
                sensor: "sensor of carbon dioxide", sensorType: "CarbonDioxideSensor", number: "partsPerMillion")),
        KindRow(
            "volatileOrganicCompounds", resource: "voc", channels: ["value"], unit: .partsPerMillion, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("concentration_voc", shape: .single, factor: 10_000)),
            mock: .swing(around: 0.3, amplitude: 0.2),
            homeAssistantClass: "volatile_organic_compounds_parts",
            words: KindWords(
                "how much of volatile organic compounds is in the air",
                sensor: "sensor of volatile organic compounds", sensorType: "VolatileOrganicCompoundsSensor",
                number: "partsPerMillion")),
        KindRow(
            "oxygen", resource: "oxygen", channels: ["value"], unit: Unit("%", [("ppm", 1e-4)], decimals: 2),
            range: -10...110, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("concentration_o2", shape: .single)), mock: .swing(around: 20.9, amplitude: 0.2),
            words: KindWords(
                "how much oxygen is in the air",
                sensor: "sensor of oxygen", sensorType: "OxygenSensor", number: "percent")),
        KindRow(
            "pm1", resource: "pm1", channels: ["value"], unit: .massConcentration, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("massconcentration_pm1", shape: .single)),
            mock: .swing(around: 5, amplitude: 2),
            homeAssistantClass: "pm1",
            words: KindWords(
                "the mass of particles of up to 1 µm in the air",
                sensor: "sensor of particles of up to 1 µm", sensorType: "ParticulateMatter1Sensor",
                valueType: "ParticulateMatter1", number: "microgramsPerCubicMeter")),
        KindRow(
            "pm2p5", resource: "pm2p5", channels: ["value"], unit: .massConcentration, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("massconcentration_pm2p5", shape: .single)),
            mock: .swing(around: 8, amplitude: 4),
            homeAssistantClass: "pm25",
            words: KindWords(
                "the mass of particles of up to 2.5 µm in the air",
                sensor: "sensor of particles of up to 2.5 µm", sensorType: "ParticulateMatter2p5Sensor",
                valueType: "ParticulateMatter2p5", number: "microgramsPerCubicMeter")),
        KindRow(
            "pm4", resource: "pm4", channels: ["value"], unit: .massConcentration, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("massconcentration_pm4", shape: .single)),
            mock: .swing(around: 9, amplitude: 4),
            words: KindWords(
                "the mass of particles of up to 4 µm in the air",
                sensor: "sensor of particles of up to 4 µm", sensorType: "ParticulateMatter4Sensor",
                valueType: "ParticulateMatter4", number: "microgramsPerCubicMeter")),
        KindRow(
            "pm10", resource: "pm10", channels: ["value"], unit: .massConcentration, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("massconcentration_pm10", shape: .single)),
            mock: .swing(around: 12, amplitude: 6),
            homeAssistantClass: "pm10",
            words: KindWords(
                "the mass of particles of up to 10 µm in the air",
                sensor: "sensor of particles of up to 10 µm", sensorType: "ParticulateMatter10Sensor",
                valueType: "ParticulateMatter10", number: "microgramsPerCubicMeter")),
        KindRow(
            "ultravioletIndex", resource: "uvindex", channels: ["value"], otherNames: ["uv", "uvi", "ultraviolet"],
            unit: Unit("UVI", [("uvi", 1)], decimals: 1), reporting: .onChange, usualChange: 0.5, range: 0...100,
            standardNanoseconds: 1_000_000_000, access: .like([.illuminance]),
            source: .iio(IIOChannels("uvindex", shape: .single)), mock: .swing(around: 5, amplitude: 4),
            words: KindWords(
                "the ultraviolet index, by which the sun burns the skin",
                sensor: "sensor of ultraviolet light", sensorType: "UltravioletSensor", number: "index")),
        KindRow(
            "attitude", resource: "attitude", channels: ["x", "y", "z", "w"],
            unit: Unit("", decimals: 4), changeUnit: .angle, mean: .spherical, change: .rotation,
            range: -1.000_001...1.000_001, standardNanoseconds: 20_000_000,
            access: .like([.acceleration, .angularVelocity]),
            source: .derived(from: [.acceleration, .angularVelocity]), ros: .quaternion,
            words: KindWords(
                "how the device is turned from upright, with a heading that began anywhere, as a unit quaternion",
                details: "After a gap the heading begins anew, and the numbers of readings with it.",
                sensor: "sensor of attitude", sensorType: "AttitudeSensor")),
        KindRow(
            "attitudeError", resource: "attitudeerror", channels: ["tilt", "heading"],
            unit: .degrees, reporting: .onChange, usualChange: 0.2, range: 0...180,
            access: .like([.acceleration, .angularVelocity]),
            source: .derived(from: [.acceleration, .angularVelocity]),
            words: KindWords(
                "how far the derived vertical and the derived north may be off",
                details: "One standard deviation each; a heading of 180 says that nothing is known of north.",
                sensor: "sensor of the attitude's error", sensorType: "AttitudeErrorSensor")),
        KindRow(
            "gyroscopeBias", resource: "gyroscopebias", channels: ["x", "y", "z"],
            unit: .angularVelocity, frame: .device, reporting: .onChange, usualChange: 0.001, range: -10...10,
            access: .like([.acceleration, .angularVelocity]),
            source: .derived(from: [.acceleration, .angularVelocity]), ros: .vector,
            words: KindWords(
                "what the gyroscope shows when nothing turns it",
                sensor: "sensor of the gyroscope's bias", sensorType: "GyroscopeBiasSensor")),
        KindRow(
            "rest", resource: "rest", channels: ["value"], unit: Unit("", decimals: 0), reporting: .onChange,
            usualChange: 1, mean: .newest, range: 0...1, access: .like([.acceleration, .angularVelocity]),
            source: .derived(from: [.acceleration, .angularVelocity]),
            words: KindWords(
                "whether the device lies still: 1, or 0 while it moves",
                sensor: "sensor of rest", sensorType: "RestSensor")),
        KindRow(
            "trueHeading", resource: "trueheading", channels: ["value"],
            unit: .degrees, mean: .circular, change: .direction, range: 0...360,
            access: .like([.heading, .location]),
            source: .derived(from: [.acceleration, .angularVelocity, .magneticField, .location]),
            words: KindWords(
                "the direction of the device's top edge, clockwise from true north",
                details: "There is none until the receiver has a position.",
                sensor: "compass of true north", sensorType: "TrueCompass", number: "degrees")),
        KindRow(
            "hinge", resource: "hinge", channels: ["value"], unit: .degrees, reporting: .onChange, usualChange: 2,
            mean: .newest, range: 0...360, shortestNanoseconds: 100_000_000, access: .like([.acceleration]),
            source: .derived(from: [.acceleration, .acceleration]),
            words: KindWords(
                "how far a device that can be folded is open",
                details: "It is 0 if it is closed, 180 if it is flat, 360 if it is folded round.",
                sensor: "sensor of the hinge", sensorType: "HingeSensor", number: "degrees")),
        KindRow(
            "steps", resource: "steps", channels: ["value"], otherNames: ["stepcount", "pedometer"],
            unit: Unit("", decimals: 0), reporting: .onChange, usualChange: 1, mean: .newest, range: 0...1e12,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("steps", shape: .single, isScaled: false)),
            words: KindWords(
                "the steps that were counted since the counter was turned on",
                sensor: "step counter", sensorType: "StepCounter", valueType: "StepCount", number: "count")),
    ]
}

extension KindRow.Unit {
    /// The unit of accelerations.
    fileprivate static let acceleration = Self(
        "m/s²", [("m/s2", 1), ("m/s^2", 1), ("ms-2", 1), ("m s-2", 1), ("g", 9.80665), ("mg", 9.80665 / 1_000)],
        decimals: 3)
    /// The unit of angular velocities.
    fileprivate static let angularVelocity = Self(
        "rad/s", [("deg/s", .pi / 180), ("°/s", .pi / 180), ("dps", .pi / 180)], decimals: 4)
    /// The unit of directions.
    fileprivate static let degrees = Self("°", [("deg", 1), ("rad", 180 / .pi)], decimals: 1)
    /// The unit of temperatures.
    fileprivate static let temperature = Self("°C", [("C", 1), ("degC", 1)], decimals: 2)
    /// The unit of shares in the air.
    fileprivate static let partsPerMillion = Self("ppm", [("ppb", 0.001), ("%", 10_000)], decimals: 3)
    /// The unit of what floats in the air.
    fileprivate static let massConcentration = Self(
        "µg/m³", [("ug/m3", 1), ("µg/m3", 1), ("mg/m3", 1_000)], decimals: 1)
    /// The unit of angles.
    fileprivate static let angle = Self("rad", [("deg", .pi / 180), ("°", .pi / 180)], decimals: 4)
}
