import Foundation
import Motion
import SensorValues
import Testing

/// The angle of a hinge from the accelerometers of lid and base.
@Suite struct HingeAngleTests {
    /// A laptop that is folded: what its accelerometers measure, ten times a second.
    private struct Laptop {
        var hinge = HingeAngle()
        var time: Int64 = 1_000_000_000
        var last: HingeAngle.Result?

        /// For so many tenths of a second it is open by an angle; `base` is what its base measures.
        mutating func hold(
            _ degrees: Double, base: Vector3 = Vector3(x: 0, y: 0, z: 9.81), tenths: Int = 20,
            lidIs turn: (Vector3) -> Vector3 = { $0 }
        ) {
            let angle = (180 - degrees) * .pi / 180
            let lid = Vector3(
                x: base.x, y: base.y * cos(angle) + base.z * sin(angle), z: base.z * cos(angle) - base.y * sin(angle))
            for _ in 0..<tenths {
                time += 100_000_000
                _ = hinge.take(base, of: .base, at: BootTime(nanoseconds: time))
                last = hinge.take(turn(lid), of: .lid, at: BootTime(nanoseconds: time + 20_000_000))
            }
        }

        /// It is opened or closed within so many tenths of a second.
        mutating func fold(from start: Double, to end: Double, tenths: Int = 20) {
            for step in 1...tenths { hold(start + (end - start) * Double(step) / Double(tenths), tenths: 1) }
        }

        var degrees: Double? { if case .known(let degrees)? = last { degrees } else { nil } }
        var obstacle: HingeAngle.Obstacle? { if case .unknown(let obstacle)? = last { obstacle } else { nil } }
    }

    private static let attitudes = [
        Vector3(x: 0, y: 0, z: 9.81), Vector3(x: 0, y: 9.81, z: 0), Vector3(x: 0, y: -6.94, z: -6.94),
        Vector3(x: 5, y: 3, z: 7.88),
    ]

    @Test("follows from gravity, however the base is held", arguments: attitudes)
    func angles(base: Vector3) throws {
        for degrees in [25.0, 90, 135, 180, 200, 270, 330] {
            var laptop = Laptop()
            laptop.hold(degrees, base: base)
            #expect(abs(try #require(laptop.degrees) - degrees) < 0.1)
        }
    }

    @Test("a knock does not turn a closed lid beyond flat", arguments: [-3.0, -1.5, -1.2, 1.5, 3])
    func knock(standardGravities: Double) {
        var laptop = Laptop()
        laptop.fold(from: 90, to: 0)
        laptop.hold(0)
        laptop.hold(0, tenths: 1) { Vector3(x: $0.x, y: $0.y + standardGravities * 9.81, z: $0.z) }
        laptop.hold(0, tenths: 100)
        #expect((laptop.degrees ?? 360) < 1)
    }

    @Test("is not known while the hinge stands upright")
    func upright() {
        var laptop = Laptop()
        laptop.hold(120, base: Vector3(x: 9.7, y: 1, z: 1))
        #expect(laptop.obstacle == .uprightHinge)
        laptop.hold(120, base: Vector3(x: 8, y: 4, z: 4))
        #expect(abs((laptop.degrees ?? 0) - 120) < 1)
    }

    @Test("is not known while the parts are accelerated, or turn fast")
    func motion() {
        var laptop = Laptop()
        laptop.hold(120)
        laptop.hold(120, base: Vector3(x: 0, y: 0, z: 13), tenths: 5)
        #expect(laptop.obstacle == .motion)
        laptop.hold(120)
        laptop.fold(from: 120, to: 60, tenths: 6)
        #expect(laptop.obstacle == .motion)
        laptop.hold(60)
        #expect(abs((laptop.degrees ?? 0) - 60) < 1)
    }

    @Test("is not known if the parts do not turn about x")
    func mounting() {
        var laptop = Laptop()
        laptop.hold(120, base: Vector3(x: 4, y: 4, z: 8)) { Vector3(x: -$0.x, y: $0.y, z: $0.z) }
        #expect(laptop.obstacle == .mounting)
    }

    @Test("is 0 or 360 by the way that it came")
    func seam() {
        var laptop = Laptop()
        laptop.hold(0)
        #expect(laptop.obstacle == .closedOrFolded)
        laptop.fold(from: 0, to: 90)
        laptop.fold(from: 90, to: 0)
        // Real hinges and chips are off by some degrees.
        laptop.hold(357)
        #expect(laptop.degrees == 0)
        laptop.fold(from: 0, to: 355, tenths: 60)
        laptop.hold(3)
        #expect(laptop.degrees == 360)
        // As a tablet it is moved about, which shows nothing of the hinge.
        for step in 0..<100 {
            laptop.hold(358, base: Vector3(x: 0, y: Double(step % 7), z: 12 + Double(step % 5)), tenths: 1)
        }
        laptop.hold(358)
        #expect((laptop.degrees ?? 0) > 357)
        // Held with the hinge upright, it may have been folded back.
        laptop.hold(358, base: Vector3(x: 9.81, y: 0, z: 0), tenths: 60)
        laptop.hold(358)
        #expect(laptop.obstacle == .closedOrFolded)
    }

    @Test("needs both parts, at one time")
    func both() {
        var hinge = HingeAngle()
        let flat = Vector3(x: 0, y: 0, z: 9.81)
        #expect(hinge.take(flat, of: .lid, at: BootTime(nanoseconds: 1_000_000_000)) == nil)
        #expect(hinge.take(flat, of: .base, at: BootTime(nanoseconds: 1_100_000_000)) == .known(180))
        #expect(hinge.take(flat, of: .base, at: BootTime(nanoseconds: 9_000_000_000)) == nil)
        let nonsense = Vector3(x: .nan, y: .infinity, z: 0)
        _ = hinge.take(nonsense, of: .lid, at: BootTime(nanoseconds: 9_000_000_000))
        #expect(hinge.take(flat, of: .lid, at: BootTime(nanoseconds: 9_100_000_000)) == .known(180))
    }
}
