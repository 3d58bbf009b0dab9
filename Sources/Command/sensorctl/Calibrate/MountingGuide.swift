internal import Motion
internal import Programs
internal import Readings

/// How an accelerometer's chip is turned within the device, from two positions.
struct MountingGuide: CalibrationGuide {
    let kind = Kind.acceleration
    let intervalNanoseconds: Int64 = 20_000_000
    let invitation = "put the device on its back, screen up, for a second; then on its bottom edge, screen towards you"

    private var mounting = Mounting()

    mutating func take(_ reading: Vector3, at seconds: Double) { mounting.take(reading, at: seconds) }

    var progress: CalibrationProgress {
        switch mounting.missing {
        case .flat: CalibrationProgress(part: 0, words: "put it on its back")
        case .upright: CalibrationProgress(part: 0.5, words: "put it on its bottom edge")
        case nil: CalibrationProgress(part: 1, words: "")
        }
    }

    func finding(isTimeUp: Bool) throws(Failure) -> CalibrationFinding? {
        guard let matrix = mounting.matrix else {
            guard isTimeUp else { return nil }
            throw Failure(.timedOut, "the device did not rest on its back, and then on its bottom edge")
        }
        let text = Self.text(matrix)
        let words =
            matrix == .identity
            ? ["the readings follow the device's axes: there is nothing to set"]
            : [
                "the chip is turned: set one of the two, after removing a mount matrix that is in force",
                "in sensorbrokerd.conf, under [Accelerometer]: MountMatrix=\(text)",
                "in udev's hwdb: ACCEL_MOUNT_MATRIX=\(text)",
            ]
        return CalibrationFinding(offset: .zero, matrix: matrix, error: 0, words: words, mountMatrix: text)
    }

    private static func text(_ matrix: Matrix3) -> String {
        [matrix.x, matrix.y, matrix.z].map { row in
            [row.x, row.y, row.z].map { DecimalText.short($0, decimals: 4) }.joined(separator: ", ")
        }.joined(separator: "; ")
    }
}
