import SensorValues
import Testing

@Suite("An attitude") struct AttitudeTests {
    /// A turn about an axis by so many degrees.
    private func turn(_ degrees: Double, x: Double = 0, y: Double = 0, z: Double = 0) -> Rotation {
        // The half angles whose sines need no library.
        let (sine, cosine) = degrees == 90 ? (0.5.squareRoot(), 0.5.squareRoot()) : (0.5, 0.75.squareRoot())
        return Rotation(x: x * sine, y: y * sine, z: z * sine, w: cosine)
    }

    private func product(_ a: Rotation, _ b: Rotation) -> Rotation {
        Rotation(
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z)
    }

    private func degrees(_ rotation: Rotation) -> [Int] {
        [rotation.yawRadians, rotation.pitchRadians, rotation.rollRadians].map { Int(($0 * 180 / .pi).rounded()) }
    }

    @Test("is three turns, one after the other")
    func turns() {
        #expect(degrees(Rotation(x: 0, y: 0, z: 0, w: 1)) == [0, 0, 0])
        #expect(degrees(turn(90, z: 1)) == [90, 0, 0])
        #expect(degrees(turn(60, x: 1)) == [0, 60, 0] && degrees(turn(60, x: -1)) == [0, -60, 0])
        #expect(degrees(turn(90, y: 1)) == [0, 0, 90])
        let all = product(product(turn(90, z: 1), turn(60, x: 1)), turn(60, y: -1))
        #expect(degrees(all) == [90, 60, -60])
    }

    @Test("a pressure shows a height, as the standard atmosphere has it")
    func altitude() {
        // ICAO: 1,000 m and 5,000 m
        #expect(abs(Pressure(89_874.6).metersAbove(Pressure(101_325)) - 1_000) < 1)
        #expect(abs(Pressure(54_019.9).metersAbove(Pressure(101_325)) - 5_000) < 3)
        #expect(Pressure(100_000).metersAbove(Pressure(99_000)) < -80)
        #expect(Pressure(-1).metersAbove(Pressure(0)) == 0)
    }
}
