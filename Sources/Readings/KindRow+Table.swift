extension KindRow {
    /// The kinds that there are.
    ///
    /// A new one needs its row, here at the end; a typed view of its values for the Swift library is one line in `Vector`.
    static let table: [KindRow] = [
        KindRow(
            "location", resource: "location", form: .location,
            unit: Unit("m", [("km", 1_000), ("cm", 0.01)], decimals: 1), change: .greatCircle,
            shortestNanoseconds: 50_000_000, standardNanoseconds: 1_000_000_000, access: .everyone, source: .driver,
            mock: .drive),
        KindRow(
            "acceleration", resource: "accelerometer", channels: ["x", "y", "z"],
            otherNames: ["a", "acc", "accel", "gf"],
            unit: Unit(
                "m/s²",
                [("m/s2", 1), ("m/s^2", 1), ("ms-2", 1), ("m s-2", 1), ("g", 9.80665), ("mg", 9.80665 / 1_000)],
                decimals: 3),
            frame: .device, range: -100_000...100_000, access: .everyone,
            source: .iio(channelType: "accel", factor: 1), mock: .hand),
        KindRow(
            "orientation", resource: "orientation", form: .orientation, reporting: .onChange, mean: .newest,
            change: .any, shortestNanoseconds: 100_000_000, access: .like(.acceleration),
            source: .derived(from: .acceleration)),
        KindRow(
            "angularVelocity", resource: "gyroscope", channels: ["x", "y", "z"],
            otherNames: ["w", "gyr", "gyro", "rotationrate"],
            unit: Unit("rad/s", [("deg/s", .pi / 180), ("°/s", .pi / 180), ("dps", .pi / 180)], decimals: 4),
            frame: .device, range: -1_000...1_000, access: .like(.acceleration),
            source: .iio(channelType: "anglvel", factor: 1), mock: .swing(around: 0, amplitude: 0.5)),
    ]
}
