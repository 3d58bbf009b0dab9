internal import Motion
internal import Programs
internal import Readings

/// An accelerometer's bias and scale, from a rest on each of the device's six sides.
struct AccelerometerGuide: CalibrationGuide {
    let kind = Kind.acceleration
    let intervalNanoseconds: Int64 = 20_000_000
    let invitation = "put the device on each of its six sides, one after the other, and let it rest there for a second"

    private var positions = SixPositions()

    mutating func take(_ reading: Vector3, at seconds: Double) { positions.take(reading, at: seconds) }

    var progress: CalibrationProgress {
        let missing = positions.missing
        let all = Face.allCases.count
        let words = missing.isEmpty ? "" : "missing, upwards: \(missing.map(\.words).joined(separator: ", "))"
        return CalibrationProgress(part: Double(all - missing.count) / Double(all), words: words)
    }

    func finding(isTimeUp: Bool) throws(Failure) -> CalibrationFinding? {
        if let fit = positions.fit {
            let percent = (fit.factors - Vector3(x: 1, y: 1, z: 1)) * 100
            return CalibrationFinding(
                offset: fit.offset, matrix: Matrix3(diagonal: fit.factors), error: fit.error,
                words: [
                    "bias \(AxesText.text(fit.offset, decimals: 3)) m/s², scale \(AxesText.text(percent, decimals: 2)) %, "
                        + "uncertain by \(DecimalText.short(fit.error, decimals: 2)) m/s²"
                ])
        }
        guard !positions.missing.isEmpty else {
            throw Failure(
                .unavailable, "no accelerometer is so far off: check its Scale=, or try again with the device at rest")
        }
        guard isTimeUp else { return nil }
        let missing = positions.missing.map(\.words).joined(separator: ", ")
        throw Failure(.timedOut, "these sides did not look upwards, within 10°, for a second: \(missing)")
    }
}
