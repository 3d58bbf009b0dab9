internal import Motion
internal import Programs
internal import Readings

/// A gyroscope's bias, from some seconds at rest.
struct GyroscopeGuide: CalibrationGuide {
    let kind = Kind.angularVelocity
    let intervalNanoseconds: Int64 = 20_000_000
    let invitation = "put the device down, and leave it alone for some seconds"

    private var rest = RestingRate()

    mutating func take(_ reading: Vector3, at seconds: Double) { rest.take(reading, at: seconds) }

    var progress: CalibrationProgress {
        CalibrationProgress(part: rest.progress, words: rest.interruptions > 0 && rest.progress < 0.3 ? "it moved" : "")
    }

    func finding(isTimeUp: Bool) throws(Failure) -> CalibrationFinding? {
        if let bias = rest.bias {
            let words =
                "bias \(AxesText.text(bias.value * AxesText.degrees, decimals: 3)) °/s, uncertain by "
                + "\(DecimalText.short(bias.error * AxesText.degrees, decimals: 3)) °/s"
            return CalibrationFinding(offset: bias.value, error: bias.error, words: [words])
        }
        if rest.isImpossible {
            throw Failure(
                .unavailable,
                "it shows more than 10 °/s at rest: it turns, or its scale is wrong (Scale= in the configuration)")
        }
        guard isTimeUp else { return nil }
        throw Failure(.timedOut, "the device did not rest long enough: put it down, and try again")
    }
}

/// Numbers along three axes, for people.
enum AxesText {
    /// Degrees in a radian.
    static let degrees = 180 / Double.pi

    static func text(_ vector: Vector3, decimals: Int) -> String {
        let numbers = [("x", vector.x), ("y", vector.y), ("z", vector.z)]
        return numbers.map { "\($0) \(DecimalText.short($1, decimals: decimals))" }.joined(separator: " ")
    }
}
