internal import Motion
internal import Programs
internal import Readings

/// A magnetometer's hard and soft iron, from half a minute in which the device is turned in all directions.
struct MagnetometerGuide: CalibrationGuide {
    let kind = Kind.magneticField
    let intervalNanoseconds: Int64 = 40_000_000
    let invitation =
        "turn the device slowly in all directions, so that each of its sides looks up and down once, away from iron and magnets"

    private var fit = MagnetometerFit()
    private var fresh = 0
    private var fitted: Result<FittedField, MagnetometerDoubt> = .failure(.directions)
    private var coverage: FieldCoverage?

    /// How many new directions are worth another look.
    private static let pause = 5

    mutating func take(_ reading: Vector3, at seconds: Double) {
        guard fit.take(reading) else { return }
        fresh += 1
        guard fresh >= Self.pause else { return }
        fresh = 0
        look()
    }

    private mutating func look() {
        fitted = Result { () throws(MagnetometerDoubt) in try fit.fitted() }
        coverage = fit.coverage()
    }

    var progress: CalibrationProgress {
        guard let coverage else { return CalibrationProgress(part: 0, words: "") }
        let missing = coverage.missing.map(\.words).joined(separator: ", ")
        let words = missing.isEmpty ? "go on" : "not yet seen from the field: \(missing)"
        return CalibrationProgress(part: coverage.fraction, words: words)
    }

    func finding(isTimeUp: Bool) throws(Failure) -> CalibrationFinding? {
        switch fitted {
        case .success(let field):
            return field.isComplete || isTimeUp ? finding(field) : nil
        case .failure(let doubt):
            guard isTimeUp else { return nil }
            throw Failure(.timedOut, "\(Self.words(doubt)); nothing is stored")
        }
    }

    private func finding(_ field: FittedField) -> CalibrationFinding {
        let heading = field.headingErrorDegrees
        let kind = field.isEllipsoid ? "hard and soft iron" : "hard iron only, since too few directions were seen"
        return CalibrationFinding(
            offset: field.offset, matrix: field.matrix, error: field.error,
            words: [
                "\(kind): offset \(AxesText.text(field.offset, decimals: 1)) µT in a field of "
                    + "\(DecimalText.short(field.strength, decimals: 1)) µT, residual "
                    + "\(DecimalText.short(field.residual, decimals: 2)) µT",
                "expect headings to be right within \(DecimalText.short(heading, decimals: 1))°, more near iron",
            ], headingErrorDegrees: heading)
    }

    private static func words(_ doubt: MagnetometerDoubt) -> String {
        switch doubt {
        case .directions: "the device was not turned in enough directions: show it each of its sides"
        case .strength(let microtesla):
            "the field has \(DecimalText.short(microtesla, decimals: 0)) µT, which the Earth's has nowhere: go away from magnets "
                + "and iron, or check Scale= of the magnetometer"
        case .distorted: "the readings are far from a sphere: something near distorts the field, or an axis is wrong"
        case .residual(let part):
            "the field changes by \(DecimalText.short(part * 100, decimals: 0)) % while the device turns: go away from iron and "
                + "magnets"
        }
    }
}
