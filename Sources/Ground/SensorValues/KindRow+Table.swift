extension KindRow {
    /// All kinds.
    ///
    /// A new kind needs a row at the end; a typed view of its values for the Swift library is one line in `Vector`.
    static let table: [KindRow] = [
        KindRow(
            "location", resource: "location", form: .location,
            unit: Unit("m", [("km", 1_000), ("cm", 0.01)], decimals: 1), change: .greatCircle,
            shortestNanoseconds: 50_000_000, standardNanoseconds: 1_000_000_000, access: .everyone, source: .driver,
            mock: .drive),
        KindRow(
            "acceleration", resource: "accelerometer", channels: ["x", "y", "z"],
            otherNames: ["a", "acc", "accel", "gf"],
            unit: .acceleration,
            frame: .device, range: -100_000...100_000, access: .everyone,
            source: .iio(IIOChannels("accel")), mock: .hand),
        KindRow(
            "orientation", resource: "orientation", form: .orientation, reporting: .onChange, mean: .newest,
            change: .any, shortestNanoseconds: 100_000_000, access: .like(.acceleration),
            source: .derived(from: .acceleration)),
        KindRow(
            "angularVelocity", resource: "gyroscope", channels: ["x", "y", "z"],
            otherNames: ["w", "g", "gyr", "gyro", "gyrorotation", "rotationrate", "motionrotationrate"],
            unit: Unit("rad/s", [("deg/s", .pi / 180), ("°/s", .pi / 180), ("dps", .pi / 180)], decimals: 4),
            frame: .device, range: -1_000...1_000, access: .like(.acceleration),
            source: .iio(IIOChannels("anglvel")), mock: .swing(around: 0, amplitude: 0.5)),
        KindRow(
            "magneticField", resource: "magnetometer", channels: ["x", "y", "z"],
            otherNames: ["m", "b", "mag", "magn", "magnet", "compass", "magneticfield"],
            unit: Unit(
                "µT", [("uT", 1), ("μT", 1), ("nT", 0.001), ("mT", 1_000), ("G", 100), ("gauss", 100), ("mG", 0.1)],
                decimals: 2),
            frame: .device, range: -1e6...1e6,
            source: .iio(IIOChannels("magn", factor: 100)), mock: .swing(around: 20, amplitude: 25)),
        KindRow(
            "heading", resource: "heading", channels: ["value"],
            unit: Unit("°", [("deg", 1), ("rad", 180 / .pi)], decimals: 1), mean: .circular, change: .direction,
            range: 0...360,
            source: .iio(IIOChannels("rot_from_north_magnetic_tilt_comp", shape: .single)),
            mock: .swing(around: 180, amplitude: 170)),
        KindRow(
            "gravity", resource: "gravity", channels: ["x", "y", "z"], otherNames: ["grav", "motiongravity"],
            unit: .acceleration,
            frame: .device, range: -1_000...1_000, access: .like(.acceleration),
            source: .iio(IIOChannels("gravity")), mock: .tilt(length: 9.80665)),
        KindRow(
            "linearAcceleration", resource: "linearacceleration", channels: ["x", "y", "z"],
            otherNames: ["linacc", "linear", "useracceleration", "motionuseracceleration"], unit: .acceleration,
            frame: .device, range: -100_000...100_000, access: .like(.acceleration),
            source: .iio(IIOChannels("accel_linear")), mock: .swing(around: 0, amplitude: 1)),
        KindRow(
            "rotation", resource: "rotation", channels: ["x", "y", "z", "w"], otherNames: ["q", "quat", "quaternion"],
            unit: Unit("", decimals: 4), changeUnit: .angle, mean: .spherical, change: .rotation,
            range: -1.000_001...1.000_001,
            source: .iio(IIOChannels("rot_quaternion", shape: .repeated)), mock: .turn),
        KindRow(
            "inclination", resource: "inclination", channels: ["x", "y", "z"], otherNames: ["incli", "tilt"],
            unit: .angle, range: -10...10, access: .like(.acceleration),
            // The kernel's rule says degrees; the driver of HID sensors scales to radians.
            source: .iio(IIOChannels("incli", factor: .pi / 180, ofDrivers: ["incli_3d": 1])),
            mock: .swing(around: 0, amplitude: 0.5)),
        KindRow(
            "illuminance", resource: "light", channels: ["value"], otherNames: ["lux", "light"],
            unit: Unit("lx", [("lux", 1), ("klx", 1_000)], decimals: 2), reporting: .onChange, usualChange: 1,
            range: 0...1e7, standardNanoseconds: 200_000_000,
            source: .iio(IIOChannels("illuminance", shape: .single, assumesScale: true)),
            mock: .swing(around: 250, amplitude: 200)),
        KindRow(
            "proximity", resource: "proximity", channels: ["near", "raw"], unit: Unit("", decimals: 0),
            reporting: .onChange, usualChange: 1, mean: .newest, change: .normOrSwitch, range: 0...1e12,
            standardNanoseconds: 200_000_000,
            source: .iio(IIOChannels("proximity", shape: .single, isScaled: false)), mock: .approach),
        KindRow(
            "pressure", resource: "pressure", channels: ["value"],
            otherNames: ["press", "baro", "barometer", "airpressure", "atmosphericpressure", "altimeterpressure"],
            unit: Unit("Pa", [("hPa", 100), ("mbar", 100), ("kPa", 1_000), ("bar", 100_000)], decimals: 1),
            range: 0...1e9, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("pressure", shape: .single, factor: 1_000)),
            mock: .swing(around: 101_325, amplitude: 50)),
        KindRow(
            "temperature", resource: "temperature", channels: ["value"], otherNames: ["temp"],
            unit: .temperature, range: -273.15...10_000,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("temp", shape: .single, factor: 0.001)), mock: .swing(around: 21, amplitude: 2)),
        KindRow(
            "humidity", resource: "humidity", channels: ["value"], otherNames: ["hum", "rh", "relativehumidity"],
            unit: Unit("%", [("%RH", 1)], decimals: 1), range: -10...110, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("humidityrelative", shape: .single, factor: 0.001)),
            mock: .swing(around: 45, amplitude: 5)),
        KindRow(
            "voltage", resource: "voltage", channels: ["value"],
            unit: Unit("V", [("mV", 0.001), ("uV", 1e-6), ("µV", 1e-6), ("kV", 1_000)], decimals: 4), range: -1e6...1e6,
            source: .iio(IIOChannels("voltage", shape: .single, factor: 0.001)),
            mock: .swing(around: 12, amplitude: 0.3)),
        KindRow(
            "current", resource: "current", channels: ["value"],
            unit: Unit("A", [("mA", 0.001), ("uA", 1e-6), ("µA", 1e-6)], decimals: 4), range: -1e6...1e6,
            source: .iio(IIOChannels("current", shape: .single, factor: 0.001)),
            mock: .swing(around: 0.5, amplitude: 0.4)),
        KindRow(
            "tilt", resource: "tilt", channels: ["value"],
            unit: Unit("°", [("deg", 1), ("rad", 180 / .pi)], decimals: 1), reporting: .onChange, usualChange: 5,
            mean: .newest, range: -90...90, shortestNanoseconds: 100_000_000, access: .like(.acceleration),
            source: .derived(from: .acceleration)),
        KindRow(
            "power", resource: "power", channels: ["value"],
            unit: Unit("W", [("mW", 0.001), ("uW", 1e-6), ("µW", 1e-6), ("kW", 1_000)], decimals: 4), range: -1e9...1e9,
            source: .iio(IIOChannels("power", shape: .single, factor: 0.001)),
            mock: .swing(around: 6, amplitude: 4)),
        KindRow(
            "energy", resource: "energy", channels: ["value"],
            unit: Unit("J", [("kJ", 1_000), ("Wh", 3_600), ("kWh", 3_600_000)], decimals: 3), range: -1e15...1e15,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("energy", shape: .single)), mock: .swing(around: 5_000, amplitude: 100)),
        KindRow(
            "resistance", resource: "resistance", channels: ["value"],
            unit: Unit("Ω", [("ohm", 1), ("kΩ", 1_000), ("kohm", 1_000), ("MΩ", 1e6), ("Mohm", 1e6)], decimals: 1),
            range: 0...1e15, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("resistance", shape: .single)), mock: .swing(around: 10_000, amplitude: 500)),
        KindRow(
            "ambientTemperature", resource: "ambienttemperature", channels: ["value"], unit: .temperature,
            range: -273.15...10_000, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("temp_ambient", shape: .single, factor: 0.001)),
            mock: .swing(around: 21, amplitude: 2)),
        KindRow(
            "objectTemperature", resource: "objecttemperature", channels: ["value"], unit: .temperature,
            range: -273.15...10_000, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("temp_object", shape: .single, factor: 0.001)),
            mock: .swing(around: 36, amplitude: 1)),
        // The kernel's unit of concentrations is per cent.
        KindRow(
            "carbonDioxide", resource: "co2", channels: ["value"], unit: .partsPerMillion, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("concentration_co2", shape: .single, factor: 10_000)),
            mock: .swing(around: 600, amplitude: 150)),
        KindRow(
            "volatileOrganicCompounds", resource: "voc", channels: ["value"], unit: .partsPerMillion, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("concentration_voc", shape: .single, factor: 10_000)),
            mock: .swing(around: 0.3, amplitude: 0.2)),
        KindRow(
            "oxygen", resource: "oxygen", channels: ["value"], unit: Unit("%", [("ppm", 1e-4)], decimals: 2),
            range: -10...110, standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("concentration_o2", shape: .single)), mock: .swing(around: 20.9, amplitude: 0.2)),
        KindRow(
            "pm1", resource: "pm1", channels: ["value"], unit: .massConcentration, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("massconcentration_pm1", shape: .single)),
            mock: .swing(around: 5, amplitude: 2)),
        KindRow(
            "pm2p5", resource: "pm2p5", channels: ["value"], unit: .massConcentration, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("massconcentration_pm2p5", shape: .single)),
            mock: .swing(around: 8, amplitude: 4)),
        KindRow(
            "pm4", resource: "pm4", channels: ["value"], unit: .massConcentration, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("massconcentration_pm4", shape: .single)),
            mock: .swing(around: 9, amplitude: 4)),
        KindRow(
            "pm10", resource: "pm10", channels: ["value"], unit: .massConcentration, range: 0...1e6,
            standardNanoseconds: 1_000_000_000,
            source: .iio(IIOChannels("massconcentration_pm10", shape: .single)),
            mock: .swing(around: 12, amplitude: 6)),
    ]
}

extension KindRow.Unit {
    /// The unit of accelerations.
    fileprivate static let acceleration = Self(
        "m/s²", [("m/s2", 1), ("m/s^2", 1), ("ms-2", 1), ("m s-2", 1), ("g", 9.80665), ("mg", 9.80665 / 1_000)],
        decimals: 3)
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
