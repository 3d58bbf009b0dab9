import Devices
import Platform
import Readings
import Testing

@testable import IIO

@Suite struct AxisConversionTests {
    private func axis(_ scale: String, _ offset: String?) throws -> AxisConversion.Axis {
        try #require(AxisConversion.Axis(scale: scale, offset: offset))
    }

    @Test("m/s² = (raw + offset) × scale, axis by axis, to the last bit")
    func converts() throws {
        var conversion = AxisConversion(
            of: Quantity(.acceleration), [try axis("0.009806650", nil), try axis("0.5", "-3"), try axis("2", "0.25")],
            factor: 1)
        #expect(
            Acceleration(conversion.values(RawScans.Numbers(1000, 7, -1, 0)))
                == Acceleration(x: 1000 * 0.009806650, y: 2, z: -1.5))
    }

    @Test("the mount matrix rotates the scaled values, with the signs of x and y reversed")
    func turns() throws {
        var conversion = AxisConversion(
            of: Quantity(.acceleration), [try axis("1", nil), try axis("10", nil), try axis("100", nil)], factor: 1,
            mounted: MountedAxes(try MountMatrix(text: "0, 0, -1; 1, 0, 0; 0, -1, 0")))
        #expect(Acceleration(conversion.values(RawScans.Numbers(1, 2, 3, 0))) == Acceleration(x: 300, y: -1, z: -20))
    }

    @Test(
        "what a HID sensor reports is the opposite of its acceleration, and all else as it is",
        arguments: [
            (Kind.acceleration, "[-1.0, 0.0, 2.0]"), (.gravity, "[-1.0, 0.0, 2.0]"),
            (.linearAcceleration, "[-1.0, 0.0, 2.0]"), (.angularVelocity, "[1.0, 0.0, -2.0]"),
            (.magneticField, "[1.0, 0.0, -2.0]"),
        ])
    func opposite(kind: Kind, numbers: String) throws {
        let scale = try axis("0.5", nil)
        var conversion = AxisConversion(
            of: Quantity(kind), [scale, scale, scale], factor: 1, mounted: MountedAxes(nil, isHID: true))
        #expect("\(conversion.values(RawScans.Numbers(2, 0, -4, 0)).numbers)" == numbers)
    }

    @Test(
        "an implausible scale or offset is refused",
        arguments: [
            ("0", nil), ("nan", nil), ("inf", nil), ("1e300", nil), ("", nil), ("x", nil), ("1", "inf"), ("1", "nan"),
            ("1", "x"),
        ] as [(String, String?)])
    func refuses(scale: String, offset: String?) { #expect(AxisConversion.Axis(scale: scale, offset: offset) == nil) }

    @Test("the widest words and the largest scale yield finite values")
    func finite() throws {
        let wide = try axis("1e15", "1e18")
        let turned = try MountMatrix(text: "0.667, 0.667, 0.333; -0.667, 0.333, 0.667; 0.333, -0.667, 0.667")
        var conversion = AxisConversion(
            of: Quantity(.acceleration), [wide, wide, wide], factor: 1, mounted: MountedAxes(turned))
        let value = conversion.values(RawScans.Numbers(.max, .max, .max, 0))
        #expect(value.numbers.allSatisfy { $0.isFinite })
    }

    @Test("a quaternion is made a unit one, and one that is far from that is no value")
    func quaternion() throws {
        var conversion = AxisConversion(of: Quantity(.rotation), [try axis("0.000001", nil)], factor: 1)
        let half = 0.5.squareRoot()
        let value = conversion.values(RawScans.Numbers(0, 0, 707_107, 707_107))
        #expect(value.isPossible)
        #expect(zip(value.numbers, [0, 0, half, half]).allSatisfy { abs($0 - $1) < 1e-12 })
        #expect(!conversion.values(RawScans.Numbers.zero).isPossible)
    }

    @Test("a direction is from 0 to less than 360 degrees", arguments: [(0, 0), (359, 359), (360, 0), (-90, 270)])
    func direction(raw: Int64, degrees: Double) throws {
        var conversion = AxisConversion(of: Quantity(.heading), [try axis("1", nil)], factor: 1)
        #expect(conversion.values(RawScans.Numbers(raw, 0, 0, 0)).numbers == [degrees])
    }

    @Test(
        "something is near from a tenth above the level on, and far from a tenth below; without a level from any count on"
    )
    func nearness() {
        var conversion = AxisConversion(of: Quantity(.proximity), [.one], factor: 1, nearness: Nearness(level: 100))
        let steps: [(Int64, Double)] = [(0, 0), (105, 0), (111, 1), (95, 1), (89, 0), (105, 0), (500, 1)]
        for (count, near) in steps {
            #expect(conversion.values(RawScans.Numbers(count, 0, 0, 0)).numbers == [near, Double(count)])
        }
        var person = AxisConversion(of: Quantity(.proximity), [.one], factor: 1)
        #expect([0, 1, 0].map { person.values(RawScans.Numbers($0, 0, 0, 0))[0] } == [0, 1, 0])
    }

    @Test("a calibration comes last: along the device's axes, in the unit of the kind")
    func calibration() throws {
        let one = try axis("1", nil)
        var conversion = AxisConversion(
            of: Quantity(.acceleration), [one, one, one], factor: 1,
            mounted: MountedAxes(try MountMatrix(text: "0, 1, 0; -1, 0, 0; 0, 0, 1")),
            calibration: Calibration(scale: [2, 1, 1, 1], offset: [0.5, 0, -1, 0]))
        #expect(conversion.values(RawScans.Numbers(1, 2, 3, 0)).numbers == [-3.5, 1, 2])
    }

    @Test("many scans at once become what each of them becomes")
    func runs() throws {
        let some = [try axis("0.25", "-3"), try axis("2", nil), try axis("1.5", "100")]
        let conversions = [
            AxisConversion(of: Quantity(.acceleration), some, factor: 0.001),
            AxisConversion(
                of: Quantity(.acceleration), some, factor: 1,
                mounted: MountedAxes(try MountMatrix(text: "0, 1, 0; -1, 0, 0; 0, 0, 1")),
                calibration: Calibration(scale: [2, 1, 1, 1], offset: [0.5, 0, -1, 0])),
            AxisConversion(of: Quantity(.voltage), [try axis("0.1", "7")], factor: 0.001),
            AxisConversion(of: Quantity(.heading), [try axis("0.1", nil)], factor: 1),
            AxisConversion(of: Quantity(.rotation), [try axis("0.001", nil)], factor: 1),
            AxisConversion(of: Quantity(.proximity), [.one], factor: 1, nearness: Nearness(level: 400)),
        ]
        var generator = SplitMix64(seed: 11)
        for conversion in conversions {
            var (together, apart) = (conversion, conversion)
            var scans = RawScans(groups: 2)
            scans.append(stamps: (1...50).map { 10 * $0 })
            for axis in 0..<4 {
                scans.append((0..<50).map { _ in .random(in: -999...999, using: &generator) }, along: axis, of: 1)
            }
            let range = 5..<45
            let run = together.run(of: scans, range, group: 1)
            var expected = SampleRun(of: run.quantity)
            for index in range {
                expected.append(apart.values(scans[index, 1]), at: BootTime(nanoseconds: 10 * Int64(index + 1)))
            }
            // A value that is none is not equal to itself.
            #expect("\(run.samples)" == "\(expected.samples)")
        }
    }

    @Test(
        "a driver's unit becomes the kind's",
        arguments: [
            (Kind.pressure, "bmp280", 101.325, 101_325), (.temperature, "bmp280", 21_500, 21.5),
            (.humidity, "x", 45_000, 45), (.voltage, "adc", 3_300, 3.3), (.magneticField, "magn_3d", 0.5, 50),
            (.inclination, "incli_3d", 0.5, 0.5), (.inclination, "adis16209", 180, .pi),
            (.illuminance, "als", 123.45, 123.45),
        ] as [(Kind, String, Double, Double)])
    func units(kind: Kind, driver: String, theirs: Double, ours: Double) throws {
        let factor = try #require(kind.row.iio).factor(ofDriver: driver)
        var conversion = AxisConversion(of: Quantity(kind), [.one], factor: factor)
        #expect(abs(conversion.values(SIMD4<Double>(theirs, 0, 0, 0))[0] - ours) < 1e-9 * max(abs(ours), 1))
    }
}
