import Motion
import TestTools
import Testing

@Suite struct RestCalibrationTests {
    // MARK: gyroscope

    private static let bias = Vector3(x: 0.01, y: -0.02, z: 0.005)

    @Test("three seconds at rest yield the bias, within twice its error")
    func gyroscope() throws {
        var random = SeededGenerator(seed: 3)
        var rest = RestingRate()
        var seconds = 0.0
        while rest.bias == nil, seconds < 20 {
            rest.take(Self.bias + .noise(0.003, &random), at: seconds)
            seconds += 0.02
        }
        #expect(abs(seconds - 3) < 0.1)
        let bias = try #require(rest.bias)
        #expect((bias.value - Self.bias).length < 2 * bias.error * 3.0.squareRoot())
        #expect(bias.error < 0.1 * Play.degree)
    }

    @Test("a motion begins it anew, and an ever faster turn is none")
    func moved() {
        var rest = RestingRate()
        for index in 0..<140 { rest.take(Self.bias, at: Double(index) / 50) }
        #expect(rest.progress > 0.9 && rest.bias == nil)
        let isResting = rest.take(Vector3(x: 0.5, y: 0, z: 0), at: 2.9)
        #expect(!isResting && rest.progress == 0 && rest.interruptions == 1)
        var turning = RestingRate()
        for index in 0..<1_000 {
            let seconds = Double(index) / 50
            turning.take(Vector3(x: 0, y: 0, z: 0.01 * seconds), at: seconds)
            #expect(turning.bias == nil)
        }
    }

    @Test("a chip that is far off is seen for longer; one that is impossibly far off has no bias")
    func badChips() {
        let far = Vector3(x: 5 * Play.degree, y: 0, z: 0)
        var rest = RestingRate()
        for index in 0..<400 { rest.take(far, at: Double(index) / 50) }
        #expect(rest.bias == nil)
        for index in 400..<520 { rest.take(far, at: Double(index) / 50) }
        #expect(rest.bias?.value == far)
        var turning = RestingRate()
        for index in 0..<600 { turning.take(far * 4, at: Double(index) / 50) }
        #expect(turning.bias == nil && turning.isImpossible)
    }

    @Test("what is no number is no motion either, and too few samples are none")
    func hostileRates() {
        var rest = RestingRate()
        for index in 0..<200 {
            rest.take(index % 3 == 0 ? Vector3(x: .nan, y: 0, z: 0) : Self.bias, at: Double(index) / 50)
        }
        #expect(rest.bias != nil)
        var slow = RestingRate()
        for index in 0..<10 { slow.take(Self.bias, at: Double(index)) }
        #expect(slow.bias == nil)
    }

    // MARK: accelerometer

    private static func put(_ face: Face, lean: Vector3 = .zero) -> Vector3 {
        let direction = face.direction + lean
        return direction * (9.80665 / direction.length)
    }

    /// Two seconds in a position.
    private static func hold(_ acceleration: Vector3, from start: Double, _ take: (Vector3, Double) -> Void) {
        for index in 0..<100 { take(acceleration, start + Double(index) / 50) }
    }

    @Test("six positions yield bias and scale to a few thousandths, though no table is level")
    func accelerometer() throws {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<20 {
            let offset = Vector3.noise(0.3, &random)
            let scale = Vector3(x: 1, y: 1, z: 1) + .noise(0.02, &random)
            var positions = SixPositions()
            for (index, face) in Face.allCases.enumerated() {
                #expect(positions.fit == nil)
                let lean = Vector3.noise(0.03, &random)
                let truth = Self.put(face, lean: lean)
                Self.hold(Matrix3(diagonal: scale) * truth + offset, from: Double(index) * 5) { reading, seconds in
                    positions.take(reading + .noise(0.02, &random), at: seconds)
                }
                #expect(positions.present == face)
            }
            #expect(positions.missing.isEmpty)
            let fit = try #require(positions.fit)
            #expect((fit.offset - offset).length < 0.02)
            #expect((Matrix3(diagonal: fit.factors) * scale - Vector3(x: 1, y: 1, z: 1)).length < 0.003)
        }
    }

    @Test("a position that leans, one in motion and one too many do not count")
    func accelerometerDoubts() {
        var positions = SixPositions()
        Self.hold(Self.put(.front, lean: Vector3(x: 0.3, y: 0, z: 0)), from: 0) { positions.take($0, at: $1) }
        #expect(positions.missing == Face.allCases)
        var seconds = 10.0
        for index in 0..<200 {
            positions.take(Self.put(.front) * (index % 2 == 0 ? 0.9 : 1.1), at: seconds)
            seconds += 0.02
        }
        #expect(positions.missing == Face.allCases)
        Self.hold(Self.put(.back), from: 20) { positions.take($0, at: $1) }
        #expect(positions.missing == [.right, .left, .top, .bottom, .front])
        Self.hold(Vector3(x: .nan, y: 0, z: 9.8), from: 30) { positions.take($0, at: $1) }
        Self.hold(.zero, from: 40) { positions.take($0, at: $1) }
        #expect(positions.missing.count == 5)
    }

    @Test("an accelerometer that is impossibly far off is not calibrated")
    func impossibleAccelerometer() {
        var positions = SixPositions()
        for (index, face) in Face.allCases.enumerated() {
            let reading = Self.put(face) + Vector3(x: 0, y: 0, z: index < 4 ? 0 : 2.5)
            Self.hold(reading, from: Double(index) * 5) { positions.take($0, at: $1) }
        }
        #expect(positions.fit == nil)
    }

    // MARK: mounting

    @Test("how a chip is turned follows from two positions")
    func mounting() throws {
        // The chip's y axis looks out of the screen, its x axis to the bottom edge.
        let chip = try #require(Matrix3(rows: [0, -1, 0, 0, 0, 1, -1, 0, 0]))
        var mounting = Mounting()
        #expect(mounting.missing == .flat)
        Self.hold(chip * Self.put(.front, lean: Vector3(x: 0.05, y: 0.02, z: 0)), from: 0) { mounting.take($0, at: $1) }
        #expect(mounting.missing == .upright && mounting.matrix == nil)
        Self.hold(chip * Self.put(.top, lean: Vector3(x: 0, y: 0, z: 0.1)), from: 5) { mounting.take($0, at: $1) }
        #expect(mounting.missing == nil)
        let matrix = try #require(mounting.matrix)
        for face in Face.allCases { #expect(matrix * (chip * face.direction) == face.direction) }
    }

    @Test("a chip that sits askew keeps its angle; the rows stay at right angles")
    func askew() throws {
        let turn = Quaternion(turningBy: Vector3(x: 0.5, y: 0, z: 0.4))
        var mounting = Mounting()
        Self.hold(turn.turn(Self.put(.front)), from: 0) { mounting.take($0, at: $1) }
        Self.hold(turn.turn(Self.put(.top)), from: 5) { mounting.take($0, at: $1) }
        let matrix = try #require(mounting.matrix)
        for face in Face.allCases { #expect((matrix * turn.turn(face.direction) - face.direction).length < 1e-9) }
    }
}
