import Foundation
import Readings
import Testing

@testable import Devices

/// Chips in all positions, with their reported values and with the matrices that iio-sensor-proxy needs for them.
@Suite struct MountedAxesTests {
    /// A way to mount a chip: the rows of the rotation from its axes to the device's.
    struct Mounting: CustomTestStringConvertible {
        let rows: [SIMD3<Double>]

        /// A vector along the device's axes, turned to the chip's.
        func chip(_ device: SIMD3<Double>) -> SIMD3<Double> {
            rows[0] * device.x + rows[1] * device.y + rows[2] * device.z
        }

        /// The matrix with which iio-sensor-proxy is right: it expects -g if the top or the right edge is up, and
        /// ignores the sign of z.
        func matrix(isHID: Bool, mirrored: Bool) throws -> MountMatrix {
            let sign: Double = isHID ? 1 : -1
            let signs = [sign, sign, mirrored ? -1 : 1]
            let text = zip(signs, rows).map { "\($0 * $1.x), \($0 * $1.y), \($0 * $1.z)" }.joined(separator: "; ")
            let matrix = try MountMatrix(text: text)
            #expect(matrix.isReflection == mirrored)
            return matrix
        }

        var testDescription: String { "\(rows)" }

        /// All mountings along the device's axes, and one that is oblique.
        static let all: [Self] = {
            let units: [SIMD3<Double>] = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
            let straight = units.flatMap { first in
                units.filter { (first * $0).sum() == 0 }.map { Self(rows: [first, $0, cross(first, $0)]) }
            }
            let (a, b): (SIMD3<Double>, SIMD3<Double>) = ([0.36, 0.48, -0.8], [-0.8, 0.6, 0])
            return straight + [Self(rows: [a, b, cross(a, b)])]
        }()
    }

    /// A position of a device, and Android's values for it at rest.
    static let positions: [(name: String, force: SIMD3<Double>)] = [
        ("screen up", [0, 0, 9.81]), ("screen down", [0, 0, -9.81]), ("top edge up", [0, 9.81, 0]),
        ("bottom edge up", [0, -9.81, 0]), ("right edge up", [9.81, 0, 0]), ("left edge up", [-9.81, 0, 0]),
        ("on no edge", [3.1, -4.2, 8.3]),
    ]

    static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        [a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x]
    }

    private static func isNear(_ one: SIMD3<Double>, _ other: SIMD3<Double>, _ limit: Double = 1e-9) -> Bool {
        ((one - other) * (one - other)).sum().squareRoot() <= limit
    }

    @Test("there are all 24 ways along the axes")
    func mountings() { #expect(Set(Mounting.all.map { "\($0.rows)" }).count == 25) }

    @Test(
        "accelerations are Android's in every position, however the chip is mounted, whether the matrix mirrors or not",
        arguments: Mounting.all, [(false, false), (false, true), (true, false), (true, true)])
    func accelerations(mounting: Mounting, sensor: (isHID: Bool, mirrored: Bool)) throws {
        let matrix = try mounting.matrix(isHID: sensor.isHID, mirrored: sensor.mirrored)
        let mounted = MountedAxes(matrix, isHID: sensor.isHID)
        #expect(mounted.axes == .device)
        for (name, force) in Self.positions {
            let raw = mounting.chip(sensor.isHID ? -force : force)
            #expect(Self.isNear(mounted.applied(to: raw, of: .acceleration), force), "\(name)")
        }
    }

    @Test("without a matrix a HID sensor has the device's axes and the opposite sign, another chip its own axes")
    func unmounted() {
        let value: SIMD3<Double> = [1, -2, 3]
        let (hid, chip) = (MountedAxes(nil, isHID: true), MountedAxes(nil))
        #expect(hid.axes == .device && chip.axes == .chip)
        #expect(hid.applied(to: value, of: .acceleration) == -value && !hid.leaves(.acceleration))
        #expect(hid.applied(to: value, of: .angularVelocity) == value && hid.leaves(.angularVelocity))
        #expect(chip.applied(to: value, of: .acceleration) == value && chip.leaves(.acceleration))
        #expect(chip.leaves(.angularVelocity))
    }

    @Test("the matrix 1 is a matrix: iio-sensor-proxy takes the right and the top edge of such a chip for the others")
    func one() {
        let mounted = MountedAxes(.identity)
        #expect(mounted.axes == .device)
        #expect(mounted.applied(to: [1, -2, 3], of: .acceleration) == [-1, 2, 3])
        #expect(MountedAxes(.identity, isHID: true) == MountedAxes(nil, isHID: true))
    }

    @Test(
        "what is 0 is not -0, whatever turns it",
        arguments: [nil, "1, 0, 0; 0, 1, 0; 0, 0, 1", "0, 1, 0; 1, 0, 0; 0, 0, 1"])
    func zero(text: String?) throws {
        let matrix = try text.map { try MountMatrix(text: $0) }
        for isHID in [false, true] {
            let value = MountedAxes(matrix, isHID: isHID).applied(to: .zero, of: .acceleration)
            #expect("\(value)" == "\(SIMD3<Double>.zero)")
        }
    }

    @Test(
        "while a device turns, its gravity turns by its angular velocity: both are in one right-handed frame",
        arguments: Mounting.all, [(false, false), (false, true), (true, false), (true, true)])
    func turning(mounting: Mounting, sensor: (isHID: Bool, mirrored: Bool)) throws {
        let matrix = try mounting.matrix(isHID: sensor.isHID, mirrored: sensor.mirrored)
        try checkTurning(MountedAxes(matrix, isHID: sensor.isHID), isHID: sensor.isHID)
    }

    @Test("so it does where it is unknown how it is mounted", arguments: [false, true])
    func turningUnmounted(isHID: Bool) throws { try checkTurning(MountedAxes(nil, isHID: isHID), isHID: isHID) }

    /// Turns a chip about its own axes, one after the other; its reported gravity must follow in small steps from its
    /// first value and the reported angular velocity.
    private func checkTurning(_ mounted: MountedAxes, isHID: Bool) throws {
        let turns: [(axis: SIMD3<Double>, angle: Double)] = [([1, 0, 0], 1), ([0, 1, 0], 0.7), ([0, 0, 1], -1.2)]
        let steps = 2_000
        var force: SIMD3<Double> = [3.1, -4.2, 8.3]
        func served() -> SIMD3<Double> { mounted.applied(to: isHID ? -force : force, of: .acceleration) }
        var followed = served()
        for (axis, angle) in turns {
            let begin = force
            let velocity = mounted.applied(to: axis * angle, of: .angularVelocity) / Double(steps)
            for step in 1...steps {
                // A vector that is fixed in the world turns the other way in the chip.
                let turned = -angle * Double(step) / Double(steps)
                force =
                    begin * cos(turned) + Self.cross(axis, begin) * sin(turned)
                    + axis * ((axis * begin).sum() * (1 - cos(turned)))
                let half = followed - Self.cross(velocity, followed) / 2
                followed -= Self.cross(velocity, half)
            }
            #expect(Self.isNear(served(), followed, 1e-4))
        }
        #expect(!Self.isNear(served(), mounted.applied(to: [3.1, -4.2, 8.3], of: .acceleration), 1))
    }

    @Test(
        "matrices of udev's hardware database leave x and y to iio-sensor-proxy, and make the frame a right-handed one",
        arguments: [
            "0, -1, 0; -1, 0, 0; 0, 0, 1", "1, 0, 0; 0, -1, 0; 0, 0, 1", "0, 1, 0; 1, 0, 0; 0, 0, 1",
            "-1, 0, 0; 0, 1, 0; 0, 0, 1", "0, 1, 0; -1, 0, 0; 0, 0, 1", "-1, 0, 0; 0, 1, 0; 0, 0, -1",
            "0, -1, 0; 1, 0, 0; 0, 0, 1", "-1, 0, 0; 0, -1, 0; 0, 0, 1", "-1, 0, 0; 0, -1, 0; 0, 0, -1",
            "-0, -1, 0; 0, 0, -1; 1, 0, 0", "0, -1, 0; -1, 0, 0; 0, 0, -1", "0, 1, 0; -1, 0, 0; 0, 0, -1",
            "0, -1, 0; 1, 0, 0; 0, 0, -1", "1, 0, 0; 0, 1, 0; 0, 0, 1", "1, 0, 0; 0, -1, 0; 0, 0, -1",
            "1, 0, 0; 0, 1, 0; 0, 0, -1", "0, 1, 0; 1, 0, 0; 0, 0, -1", "0, 1, 0; 0, 0, -1; -1, 0, 0",
            "0, 0, -1; 1, 0, 0; 0, -1, 0", "0, -1, 0;1, 0, 0;0, 0, 1", "-1, 0, 0; 0,-1, 0; 0, 0, 1",
            "-1, 0, 0; 0, 0, -1; 0, -1, 0", "-0, -1, 0; 0, 0, 1; -1, 0, 0",
        ])
    func database(text: String) throws {
        let matrix = try MountMatrix(text: text)
        for isHID in [false, true] {
            let mounted = MountedAxes(matrix, isHID: isHID)
            let vectors: [SIMD3<Double>] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
            for vector in vectors {
                let (value, raw) = (mounted.applied(to: vector, of: .acceleration), matrix.applied(to: vector))
                #expect((value.x, value.y) == (-raw.x, -raw.y) && abs(value.z) == abs(raw.z))
            }
            let turned = vectors.map { mounted.applied(to: $0, of: .angularVelocity) }
            #expect(Self.cross(turned[0], turned[1]) == turned[2])
        }
    }
}
