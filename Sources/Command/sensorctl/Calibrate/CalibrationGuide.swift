internal import Motion
internal import Programs
internal import Readings

/// Guides a person through a calibration: has words for what to do, takes the readings, and knows when it is done.
///
/// Pure.
protocol CalibrationGuide: Sendable {
    /// The kind of the readings.
    var kind: Kind { get }
    /// The interval of readings that it needs.
    var intervalNanoseconds: Int64 { get }
    /// What the person has to do.
    var invitation: String { get }
    /// How much is done, and what is missing.
    var progress: CalibrationProgress { get }
    /// Takes a reading, at a time in seconds.
    mutating func take(_ reading: Vector3, at seconds: Double)
    /// What was found; nil as long as it is not done, unless time is up.
    func finding(isTimeUp: Bool) throws(Failure) -> CalibrationFinding?
}

/// How much of a calibration is done.
struct CalibrationProgress: Equatable {
    /// From 0 to 1.
    var part: Double
    /// What is missing, or what happens, in words.
    var words: String

    private static let cells = 20

    /// The line of it: `[########------------]  40 %  words`.
    var line: String {
        let full = Int(clamping: (min(1, max(0, part)) * Double(Self.cells)).rounded(.down))
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: Self.cells - full)
        let percent = "\(Int(clamping: (part * 100).rounded(.down)))"
        return "[\(bar)] \(percent.rightAligned(to: 3)) %" + (words.isEmpty ? "" : "  \(words)")
    }
}

/// What a calibration has found.
struct CalibrationFinding: Equatable {
    let offset: Vector3
    var matrix = Matrix3.identity
    /// In the unit of the readings: one standard deviation.
    let error: Double
    /// What it means, in words.
    let words: [String]
    /// What to expect of a heading, if it is about that.
    var headingErrorDegrees: Double?
    /// How a chip is mounted, if it is about that: the text of a mount matrix.
    var mountMatrix: String?
}

extension Face {
    /// What people call it.
    var words: String {
        switch self {
        case .right: "right edge"
        case .left: "left edge"
        case .top: "top edge"
        case .bottom: "bottom edge"
        case .front: "screen"
        case .back: "back"
        }
    }
}
