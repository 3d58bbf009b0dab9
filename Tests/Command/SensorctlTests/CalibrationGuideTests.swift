import Motion
import Programs
import Testing

@testable import sensorctl

@Suite("Guided calibrations") struct CalibrationGuideTests {
    /// Shows a guide readings at its own pace; the time of the last one.
    @discardableResult
    private func show(
        _ guide: inout some CalibrationGuide, _ reading: Vector3, seconds: Double, from start: Double = 0
    ) -> Double {
        let interval = Double(guide.intervalNanoseconds) / 1e9
        var time = start
        while time < start + seconds {
            guide.take(reading, at: time)
            time += interval
        }
        return time
    }

    @Test("a gyroscope's ends by itself, and says in degrees what it found")
    func gyroscope() throws {
        var guide = GyroscopeGuide()
        #expect(guide.progress == CalibrationProgress(part: 0, words: ""))
        show(&guide, Vector3(x: 0.01, y: 0, z: -0.02), seconds: 2)
        #expect(try guide.finding(isTimeUp: false) == nil && guide.progress.part > 0.5)
        show(&guide, Vector3(x: 0.01, y: 0, z: -0.02), seconds: 2, from: 2)
        let finding = try #require(try guide.finding(isTimeUp: false))
        #expect(finding.matrix == .identity && abs(finding.offset.z + 0.02) < 1e-9)
        #expect(finding.words == ["bias x 0.573 y 0 z -1.146 °/s, uncertain by 0.02 °/s"])
    }

    @Test("one that gets nowhere says why, with the status of a time that is up")
    func timeUp() {
        var moved = GyroscopeGuide()
        show(&moved, .zero, seconds: 1)
        moved.take(Vector3(x: 1, y: 0, z: 0), at: 1.1)
        #expect(moved.progress.words == "it moved")
        let guides: [any CalibrationGuide] = [moved, MagnetometerGuide(), AccelerometerGuide(), MountingGuide()]
        for guide in guides {
            let failure = #expect(throws: Failure.self) { try guide.finding(isTimeUp: true) }
            #expect(failure?.status == .timedOut && failure?.message?.isEmpty == false)
        }
    }

    @Test("an accelerometer's counts the sides, and names those that are missing")
    func accelerometer() throws {
        var guide = AccelerometerGuide()
        var time = show(&guide, Vector3(x: 0, y: 0, z: 9.80665), seconds: 1.5)
        #expect(guide.progress.line.hasPrefix("[###-----------------]  16 %"))
        #expect(guide.progress.words == "missing, upwards: right edge, left edge, top edge, bottom edge, back")
        for face in Face.allCases where face != .front {
            #expect(try guide.finding(isTimeUp: false) == nil)
            time = show(&guide, face.direction * 9.80665, seconds: 1.5, from: time + 1)
        }
        let finding = try #require(try guide.finding(isTimeUp: false))
        #expect(finding.offset.length < 1e-9 && finding.error > 0)
    }

    @Test("a mounting's says what to put where, and prints a matrix as udev has it")
    func mounting() throws {
        var guide = MountingGuide()
        #expect(guide.progress.words == "put it on its back")
        let time = show(&guide, Vector3(x: 0, y: 9.8, z: 0), seconds: 1.5)
        #expect(guide.progress.words == "put it on its bottom edge")
        show(&guide, Vector3(x: 0, y: 0, z: 9.8), seconds: 1.5, from: time)
        let finding = try #require(try guide.finding(isTimeUp: false))
        #expect(finding.mountMatrix == "-1, 0, 0; 0, 0, 1; 0, 1, 0")
    }

    @Test("a bar never leaves its frame", arguments: [-1.0, 0, 0.5, 1, 7])
    func bar(part: Double) {
        let line = CalibrationProgress(part: part, words: "").line
        #expect(line.prefix(22).count == 22 && line.prefix(22).hasSuffix("]"))
    }
}
