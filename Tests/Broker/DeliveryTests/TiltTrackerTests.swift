import Glibc
import Readings
import Testing

@testable import Delivery

@Suite("A tracker of the tilt") struct TiltTrackerTests {
    /// The acceleration of a device whose screen leans this far from the vertical, whichever of its edges is up.
    private func leaning(_ degrees: Double, edge: Double = 0) -> Acceleration {
        let (angle, around) = (degrees * .pi / 180, edge * .pi / 180)
        return Acceleration(
            x: 9.81 * cos(angle) * sin(around), y: 9.81 * cos(angle) * cos(around), z: 9.81 * sin(angle))
    }

    @Test("measures the angle of the screen, whichever edge is up", arguments: [-90.0, -45, 0, 30, 90])
    func angle(degrees: Double) throws {
        for edge in stride(from: 0.0, to: 360, by: 30) {
            var tracker = TiltTracker()
            let hasChanged = tracker.follow(leaning(degrees, edge: edge))
            #expect(hasChanged)
            let tilt = try #require(tracker.tilt)
            #expect(abs(tilt.degrees - degrees) < 1e-6)
        }
    }

    @Test("reports another one once it differs by five degrees from the last")
    func steps() {
        var tracker = TiltTracker()
        let changes = [10, 14.9, 5.1, 10, 15.1, 10.2, -40].map { tracker.follow(leaning($0)) }
        #expect(changes == [true, false, false, false, true, false, true])
    }

    @Test("knows nothing of a device that falls, and keeps what it knew")
    func falling() {
        var tracker = TiltTracker()
        let weightless = Acceleration(x: 0, y: 0, z: 0)
        _ = tracker.follow(weightless)
        #expect(tracker.tilt == nil)
        _ = tracker.follow(leaning(30))
        let before = tracker
        let hasChanged = tracker.follow(weightless)
        #expect(!hasChanged && tracker == before)
    }

    @Test("there is one for each kind that is derived from accelerations, and none for others")
    func kinds() {
        for kind in Kind.all {
            #expect((Tracker(kind) != nil) == (kind.row.source == .derived(from: [.acceleration])), "\(kind)")
        }
    }
}
