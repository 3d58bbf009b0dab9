import Delivery
import Foundation
import Readings
import Testing

@Suite struct OrientationTrackerTests {
    /// Gravity on a device that was turned clockwise out of the upright, and leaned back.
    private static func gravity(turned: Double, leaned: Double = 0) -> Acceleration {
        let (turn, lean) = (turned * .pi / 180, leaned * .pi / 180)
        return Acceleration(x: -9.81 * sin(turn) * cos(lean), y: 9.81 * cos(turn) * cos(lean), z: 9.81 * sin(lean))
    }

    @Test(
        "the edge that is up is reported",
        arguments: [(0.0, Orientation.normal), (90, .leftUp), (180, .bottomUp), (-90, .rightUp)])
    func edges(turned: Double, orientation: Orientation) {
        var tracker = OrientationTracker()
        #expect(tracker.orientation == .undefined)
        let changes = [tracker.follow(Self.gravity(turned: turned)), tracker.follow(Self.gravity(turned: turned + 5))]
        #expect(changes == [true, false])
        #expect(tracker.orientation == orientation)
    }

    @Test("near the diagonals, and lying flat, it does not change")
    func hysteresis() {
        var tracker = OrientationTracker()
        let changes = [tracker.follow(Self.gravity(turned: 0, leaned: 90)), tracker.follow(Self.gravity(turned: 45))]
        #expect(changes == [false, false])
        #expect(tracker.orientation == .undefined)
        _ = tracker.follow(Self.gravity(turned: 0))
        let turns = [40.0, 50, 54, 55, 50, 40, 36, 34]
        let orientations = turns.map { turned in
            _ = tracker.follow(Self.gravity(turned: turned))
            return tracker.orientation
        }
        #expect(orientations == [.normal, .normal, .normal, .leftUp, .leftUp, .leftUp, .leftUp, .normal])
        _ = tracker.follow(Self.gravity(turned: 180, leaned: 80))
        #expect(tracker.orientation == .normal, "leaned so far back that no edge is up")
    }

    @Test(
        "it is what iio-sensor-proxy reports of what the chip measures, however that is turned into accelerations",
        arguments: [DeviceProfile.Axes.device, .chip])
    func words(axes: DeviceProfile.Axes) {
        // As its table has them, in thousandths of g after the mount matrix.
        let table: [(x: Double, y: Double, z: Double, Orientation)] = [
            (0, 1000, 0, .bottomUp), (0, -1000, 0, .normal), (1000, 0, 0, .leftUp), (-1000, 0, 0, .rightUp),
            (0, 0, 1000, .rightUp), (0, -700, 700, .normal), (700, 0, -700, .leftUp), (0, 0, -1000, .leftUp),
        ]
        let sign: Double = axes == .device ? -1 : 1
        for z in [1.0, -1] {
            var tracker = OrientationTracker()
            for row in table {
                let (x, y) = (sign * row.x * 0.00980665, sign * row.y * 0.00980665)
                _ = tracker.follow(Acceleration(x: x, y: y, z: z * row.z * 0.00980665), along: axes)
                #expect(tracker.orientation == row.3)
            }
        }
    }

    @Test("near the threshold it counts in iio-sensor-proxy's whole steps, towards zero")
    func steps() {
        // 35.6° for whoever counts finer; of 256 steps it is 148 beside 208, 35.4°.
        var tracker = OrientationTracker()
        let hasChanged = tracker.follow(Acceleration(x: 0, y: 0.582 * 9.81, z: 0.8132 * 9.81))
        #expect(hasChanged == false && tracker.orientation == .undefined)
    }

    @Test("without any acceleration the orientation is undefined")
    func weightless() {
        var tracker = OrientationTracker()
        let hasChanged = tracker.follow(Acceleration(x: 0, y: 0, z: 0))
        #expect(!hasChanged)
        #expect(tracker.orientation == .undefined)
    }
}
