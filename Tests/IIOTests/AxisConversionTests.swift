import Devices
import Readings
import Testing

@testable import IIO

@Suite struct AxisConversionTests {
    private func axis(_ scale: String, _ offset: String?) throws -> AxisConversion.Axis {
        try #require(AxisConversion.Axis(scale: scale, offset: offset))
    }

    @Test("m/s² = (raw + offset) × scale, axis by axis, to the last bit")
    func converts() throws {
        let conversion = AxisConversion(
            of: .acceleration, x: try axis("0.009806650", nil), y: try axis("0.5", "-3"), z: try axis("2", "0.25"),
            matrix: .identity)
        #expect(
            Acceleration(conversion.values(RawScans.Axes(x: 1000, y: 7, z: -1)))
                == Acceleration(x: 1000 * 0.009806650, y: 2, z: -1.5))
    }

    @Test("the mount matrix turns what has been scaled")
    func turns() throws {
        let conversion = AxisConversion(
            of: .acceleration, x: try axis("1", nil), y: try axis("10", nil), z: try axis("100", nil),
            matrix: try MountMatrix(text: "0, 0, -1; 1, 0, 0; 0, 1, 0"))
        #expect(Acceleration(conversion.values(RawScans.Axes(x: 1, y: 2, z: 3))) == Acceleration(x: -300, y: 1, z: 20))
    }

    @Test(
        "a scale or offset that cannot be meant is refused",
        arguments: [
            ("0", nil), ("nan", nil), ("inf", nil), ("1e300", nil), ("", nil), ("x", nil), ("1", "inf"), ("1", "nan"),
            ("1", "x"),
        ] as [(String, String?)])
    func refuses(scale: String, offset: String?) { #expect(AxisConversion.Axis(scale: scale, offset: offset) == nil) }

    @Test("the widest words and the largest scale stay finite")
    func finite() throws {
        let wide = try axis("1e15", "1e18")
        let turned = try MountMatrix(text: "0.667, 0.667, 0.333; -0.667, 0.333, 0.667; 0.333, -0.667, 0.667")
        let value = AxisConversion(of: .acceleration, x: wide, y: wide, z: wide, matrix: turned)
            .values(RawScans.Axes(x: .max, y: .max, z: .max))
        #expect(value.numbers.allSatisfy { $0.isFinite })
    }
}
