import Motion
import Testing

@Suite struct BearingTests {
    private static func device(yaw: Double, pitch: Double) -> Quaternion {
        Quaternion(turningAboutVerticalBy: -yaw * Play.degree)
            * Quaternion(turningBy: Vector3(x: pitch * Play.degree, y: 0, z: 0))
    }

    @Test("flat, it is the top edge's, clockwise from north", arguments: [0.0, 45, 90, 179, 181, 270, 359])
    func flat(yaw: Double) {
        var bearing = Bearing()
        #expect(abs(bearing.degrees(Self.device(yaw: yaw, pitch: 0)) - yaw) < 1e-9)
    }

    @Test("a hair to the left of north is north, and not 360")
    func hair() {
        var bearing = Bearing()
        #expect(bearing.degrees(Quaternion(turningBy: Vector3(x: 0, y: 0, z: 1e-17))) == 0)
    }

    @Test("before the eyes, it is where they look", arguments: [-20.0, 0, 20])
    func upright(lean: Double) {
        var bearing = Bearing()
        #expect(abs(bearing.degrees(Self.device(yaw: 120, pitch: 90 + lean)) - 120) < 1e-9)
    }

    @Test("it does not waver between the two")
    func hysteresis() {
        // Rolled as well, so that top edge and back point in different directions.
        func rolled(_ pitch: Double) -> Quaternion {
            Self.device(yaw: 90, pitch: pitch) * Quaternion(turningBy: Vector3(x: 0, y: 0.3, z: 0))
        }
        var bearing = Bearing()
        let top = bearing.degrees(rolled(55))
        let back = bearing.degrees(rolled(65))
        #expect(abs(top - back) > 5)
        #expect(abs(bearing.degrees(rolled(55)) - top) > 5, "still the back's")
        #expect(abs(bearing.degrees(rolled(45)) - top) < 1, "the top edge's again")
    }
}
