import Foundation
import Motion
import TestTools
import Testing

@Suite struct MagnetometerFitTests {
    /// A hand that turns its device over, in a motion of its own for each seed.
    private static func hand(_ random: inout SeededGenerator) -> RigidMotion {
        var motion = RigidMotion.hand()
        motion.pitch.amplitude *= Double.random(in: 1...2.5, using: &random)
        motion.roll.amplitude *= Double.random(in: 1...2.5, using: &random)
        motion.yaw.offset = Double.random(in: 0..<2 * .pi, using: &random)
        motion.pitch.phaseRadians = Double.random(in: 0..<2 * .pi, using: &random)
        motion.roll.phaseRadians = Double.random(in: 0..<2 * .pi, using: &random)
        return motion
    }

    /// A magnetometer with hard and soft iron.
    private struct Chip {
        let offset: Vector3
        let matrix: Matrix3

        init(offset: Double, softIron: Double, _ random: inout SeededGenerator) {
            self.offset = .noise(offset, &random)
            let (stretch, skew) = (Vector3.noise(softIron, &random), Vector3.noise(softIron, &random))
            matrix = Matrix3(
                x: Vector3(x: 1 + stretch.x, y: skew.x, z: skew.y), y: Vector3(x: skew.x, y: 1 + stretch.y, z: skew.z),
                z: Vector3(x: skew.y, y: skew.z, z: 1 + stretch.z))
        }

        func show(_ field: Vector3) -> Vector3 { matrix * field + offset }
    }

    /// The error of the headings of ten other hands, root mean square, in degrees.
    private static func headingError(_ chip: Chip, _ fit: FittedField, _ random: inout SeededGenerator) -> Double {
        var squares = 0.0
        var count = 0.0
        for _ in 0..<10 {
            let motion = hand(&random)
            for second in 0..<30 {
                let moment = motion.moment(at: Double(second))
                let level = moment.attitude.turn(fit.matrix * (chip.show(moment.field) - fit.offset))
                let degrees = atan2(level.x, level.y) / Play.degree
                squares += degrees * degrees
                count += 1
            }
        }
        return (squares / count).squareRoot()
    }

    @Test("thirty seconds in a hand: headings are right within half a degree, in nine of ten within two")
    func thirtySeconds() throws {
        var errors: [Double] = []
        var honest = 0
        for seed in 0..<40 {
            var random = SeededGenerator(seed: UInt64(seed))
            let motion = Self.hand(&random)
            let chip = Chip(offset: 40, softIron: 0.04, &random)
            var fit = MagnetometerFit()
            for index in 0..<750 {
                fit.take(chip.show(motion.moment(at: Double(index) / 25).field) + .noise(0.5, &random))
            }
            guard let fitted = try? fit.fitted(), fitted.isComplete else { continue }
            let error = Self.headingError(chip, fitted, &random)
            errors.append(error)
            if error < 2 * fitted.headingErrorDegrees { honest += 1 }
        }
        errors.sort()
        try #require(errors.count >= 25)
        #expect(errors[errors.count / 2] <= 0.5)
        #expect(errors[errors.count * 9 / 10] <= 2)
        #expect(honest * 100 >= 95 * errors.count)
    }

    @Test("a device that lies still, or turns about one axis, yields nothing")
    func tooFewDirections() {
        var still = MagnetometerFit()
        for _ in 0..<1_000 { still.take(Vector3(x: 20, y: 0, z: -40)) }
        #expect(throws: MagnetometerDoubt.directions) { try still.fitted() }
        var flat = MagnetometerFit()
        for index in 0..<500 {
            let angle = Double(index) / 10
            flat.take(Vector3(x: 30 + 20 * cos(angle), y: 20 * sin(angle), z: -40))
        }
        #expect(throws: MagnetometerDoubt.directions) { try flat.fitted() }
        #expect(flat.coverage().fraction < 0.7)
        #expect(flat.coverage().missing.contains(.front))
    }

    /// A device that is turned in all directions, in a field that a function distorts.
    private static func turned(strength: Double = 49, _ show: (Vector3, Int) -> Vector3) -> MagnetometerFit {
        var fit = MagnetometerFit()
        for index in 0..<600 {
            let up = 2 * (Double(index) + 0.5) / 600 - 1
            let angle = Double(index) * 2.399963
            let across = (1 - up * up).squareRoot()
            let field = Vector3(x: across * cos(angle), y: across * sin(angle), z: up) * strength
            fit.take(show(field, index))
        }
        return fit
    }

    @Test("all directions: offset and matrix are those of the chip")
    func allDirections() throws {
        var random = SeededGenerator(seed: 5)
        let chip = Chip(offset: 60, softIron: 0.04, &random)
        let fit = Self.turned { field, _ in chip.show(field) }
        let fitted = try fit.fitted()
        #expect(fitted.isComplete)
        #expect((fitted.offset - chip.offset).length < 0.1)
        #expect(fitted.residual < 0.2)
        #expect(fit.coverage().fraction == 1)
        #expect(fit.coverage().missing.isEmpty)
        for axis in [Vector3(x: 1, y: 0, z: 0), Vector3(x: 0, y: 1, z: 0), Vector3(x: 0, y: 0, z: 1)] {
            let corrected = fitted.matrix * (chip.show(axis * 49) - fitted.offset)
            #expect(abs(corrected.length - fitted.strength) < 0.2)
        }
    }

    @Test(
        "a magnet that comes and goes, a strength that the Earth has nowhere, a sensor like a cigar: nothing is calibrated"
    )
    func doubts() {
        #expect(throws: MagnetometerDoubt.self) {
            try Self.turned { field, index in index % 2 == 0 ? field : field + Vector3(x: 15, y: 0, z: 0) }.fitted()
        }
        #expect(throws: MagnetometerDoubt.self) { try Self.turned(strength: 100) { field, _ in field }.fitted() }
        #expect(throws: MagnetometerDoubt.self) {
            try Self.turned { field, _ in Vector3(x: field.x * 2, y: field.y, z: field.z) }.fitted()
        }
    }

    @Test("what is no number, or no field, does not count")
    func hostile() throws {
        let chipless = Self.turned { field, index in
            switch index % 10 {
            case 0: Vector3(x: .nan, y: 0, z: 0)
            case 1: Vector3(x: .infinity, y: 0, z: 0)
            case 2: Vector3(x: 1e300, y: -1e300, z: 1e300)
            default: field
            }
        }
        #expect(try chipless.fitted().offset.length < 0.5)
        var constant = MagnetometerFit()
        for index in 0..<1_000 { constant.take(Vector3(x: index % 2 == 0 ? 0 : 1_000, y: 0, z: 0)) }
        #expect(throws: MagnetometerDoubt.self) { try constant.fitted() }
        #expect(throws: MagnetometerDoubt.directions) { try MagnetometerFit().fitted() }
    }
}
