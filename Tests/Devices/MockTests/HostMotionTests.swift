import Foundation
import Motion
import Readings
import Testing

@testable import Mock

/// The hand of a host of which no motion is described, and what holds of every motion.
@Suite struct HostMotionTests {
    private static let place = FieldShape(strength: 50, dipDegrees: 60)

    private static func held(seed: UInt64) -> [Vector3] {
        (0..<12_000).map {
            HostMotion.held(seed: seed).moment(atSeconds: Double($0) / 100, in: place).acceleration
        }
    }

    @Test("the magnitude is about that of gravity, on the mean very nearly", arguments: [0, 7, 1234] as [UInt64])
    func magnitude(seed: UInt64) {
        let magnitudes = Self.held(seed: seed).map(\.length)
        #expect(magnitudes.allSatisfy { (8...12).contains($0) })
        let mean = magnitudes.reduce(0, +) / Double(magnitudes.count)
        #expect(abs(mean - 9.8) < 0.1)
    }

    @Test("a hand leans it back, turns it from upright to its left side and back, walks and never holds it still")
    func moves() {
        let motion = Self.held(seed: 1)
        #expect(motion.allSatisfy { $0.z > 1 })
        #expect(motion.count { $0.y > 5 } > motion.count / 3, "upright")
        #expect(motion.count { $0.x < -5 } > motion.count / 3, "with its left edge up")
        #expect(motion.contains { abs($0.length - RigidMotion.gravity) > 0.5 }, "walks")
        #expect(zip(motion, motion.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test("a part that is asked for alone is that of the whole")
    func parts() {
        let held = HostMotion.held(seed: 3)
        let turned = MotionSequence(
            [([.rotate(.x, degrees: 90), .walk(hertz: 2)], 3), ([.hand], 4)], isRepeated: true, seed: 3)
        for motion in [held, HostMotion(turned), held.carrying(turned)] {
            for tick in 0..<600 {
                let seconds = Double(tick) * 0.11
                func moment(_ wanted: MotionParts) -> Moment {
                    motion.moment(atSeconds: seconds, in: Self.place, wanted)
                }
                let whole = moment(.all)
                #expect(moment([]).attitude == whole.attitude)
                #expect(moment(.acceleration).acceleration == whole.acceleration)
                #expect((moment(.rate).rate - whole.rate).length < 1e-12)
                #expect(moment(.field).field == whole.field)
            }
        }
    }

    @Test("it is finite at any time", arguments: [0, 1, -1, 9e9, -9e9] as [Double])
    func finite(seconds: Double) {
        let moment = HostMotion.held(seed: 1).moment(atSeconds: seconds, in: Self.place)
        for vector in [moment.acceleration, moment.rate, moment.field] { #expect(vector.isWithin(100)) }
    }

    @Test("one seed gives one motion, another seed another")
    func seeded() {
        #expect(Self.held(seed: 1) == Self.held(seed: 1))
        #expect(Self.held(seed: 1) != Self.held(seed: 2))
    }

    private static func host(_ parts: [MotionSequence.Part], isRepeated: Bool = true) -> HostMotion {
        HostMotion(MotionSequence(parts, isRepeated: isRepeated, seed: 3))
    }

    private static let busy: [MotionSequence.Part] = [
        ([.rotate(.x, degrees: 60)], 1), ([.walk(hertz: 1.9), .rotate(.z, degrees: -90)], 2), ([.hand], 4),
        ([.shake(.y, hertz: 7, metersPerSecondSquared: 5), .rotate(.y, degrees: 250)], 3), ([.drop], 0.5),
    ]

    private static let motions: [(String, HostMotion)] = [
        ("held", .held(seed: 5)), ("a sequence that ends elsewhere", host(busy)),
        ("one that rests at its end", host(busy, isRepeated: false)),
        (
            "a part that turns on a host that moves",
            host(busy).carrying(
                MotionSequence([([.rotate(.x, degrees: 110)], 2), ([.hand], 3)], isRepeated: true, seed: 3))
        ),
    ]

    @Test("the rate is the derivative of the attitude at any time, so that nothing jumps", arguments: motions)
    func derivatives(name: String, motion: HostMotion) {
        let step = 1e-5
        for tick in 0..<2_500 {
            let seconds = 0.013 + Double(tick) * 0.0171
            func moment(_ seconds: Double) -> Moment { motion.moment(atSeconds: seconds, in: Self.place) }
            let turn = moment(seconds - step).attitude.inverse * moment(seconds + step).attitude
            let sign = turn.w < 0 ? -1.0 : 1
            let rate = Vector3(x: turn.x, y: turn.y, z: turn.z) * (sign / step)
            #expect((rate - moment(seconds).rate).length < 2e-3, "\(name) at \(seconds)")
        }
    }

    @Test("field and gravity are those of the place in whichever attitude", arguments: motions)
    func agreement(name: String, motion: HostMotion) {
        for tick in 0..<1_000 {
            let moment = motion.moment(atSeconds: Double(tick) * 0.0419, in: Self.place)
            let field = moment.attitude.turn(moment.field)
            let expected = Vector3(x: 0, y: Self.place.horizontal, z: -Self.place.downward)
            #expect((field - expected).length < 1e-9)
            #expect((moment.attitude.turn(moment.gravity) - Vector3(x: 0, y: 0, z: 9.80665)).length < 1e-9)
        }
    }

    @Test("what only turns, or rests, measures gravity alone")
    func gravity() {
        let host = Self.host([([.rotate(.x, degrees: 70)], 1), ([.rotate(.z, degrees: 90)], 2), ([.still], 1)])
        for tick in 0..<100 {
            let moment = host.moment(atSeconds: Double(tick) * 0.09, in: Self.place)
            #expect((moment.acceleration - moment.gravity).length < 1e-9)
        }
        #expect(host.moment(atSeconds: 3.5, in: Self.place).rate == .zero)
    }

    @Test("a kind that follows from a motion measures what its name means")
    func senses() throws {
        let upright = Self.host([([.rotate(.x, degrees: 90)], 1), ([.still], 9)])
        let east = Self.host([([.rotate(.z, degrees: -90)], 1), ([.still], 9)])
        func value(_ kind: Kind, _ motion: HostMotion) throws -> SIMD4<Double> {
            try #require(MotionSense(of: kind, motion, SurroundingField())).value(atSeconds: 5)
        }
        func isNear(_ one: SIMD4<Double>, _ other: SIMD4<Double>) -> Bool {
            ((one - other) * (one - other)).sum() < 1e-9
        }
        let half = 0.5.squareRoot()
        #expect(isNear(try value(.gravity, upright), [0, 9.80665, 0, 0]))
        #expect(isNear(try value(.linearAcceleration, upright), .zero))
        #expect(isNear(try value(.rotation, upright), [half, 0, 0, half]))
        #expect(isNear(try value(.inclination, upright), [0, .pi / 2, 0, 0]))
        #expect(isNear(try value(.inclination, east), [0, 0, .pi / 2, 0]))
        #expect(isNear(try value(.heading, east), [90, 0, 0, 0]))
        // Held upright to the north it looks there.
        #expect(isNear(try value(.heading, upright), .zero))
        let (north, turned) = (try value(.magneticField, upright), try value(.magneticField, east))
        #expect(north.z < -15 && north.y < -40 && abs(north.x) < 1e-9)
        #expect(turned.x < -15 && turned.z < -40 && abs(turned.y) < 1e-9)
    }

    @Test("the kinds that follow from a motion are those whose rows have that", arguments: Kind.all)
    func rows(kind: Kind) {
        let isOfMotion = if case .motion = kind.row.mock { true } else { false }
        #expect(isOfMotion == MotionSense.has(kind))
    }

    @Test("the field is that of the receiver's place, and another one while something disturbs it")
    func field() {
        var equator = Location(fix: .threeDimensional)
        (equator.latitudeDegrees, equator.longitudeDegrees) = (0, 110)
        let here = SurroundingField().shape(atSeconds: 0)
        #expect(abs(here.downward - 46.6) < 0.5 && abs(here.horizontal - 18.7) < 0.5, "\(here)")
        var there = SurroundingField(at: equator)
        #expect(there.shape(atSeconds: 0).horizontal > 35)
        there.disturb(10..<20, strengthMicrotesla: 80, dipDegrees: 0)
        #expect(there.shape(atSeconds: 9.9) == there.shape(atSeconds: 20))
        #expect(there.shape(atSeconds: 10) == FieldShape(strength: 80, dipDegrees: 0))
    }
}
