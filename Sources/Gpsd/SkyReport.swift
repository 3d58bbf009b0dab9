internal import Readings

/// A SKY of gpsd: how many satellites there are, and how well they stand.
struct SkyReport: Equatable, Sendable {
    /// In the solution.
    var used: Int
    /// In view.
    var visible: Int
    /// Dilutions of precision; nil where gpsd said nothing that can be true.
    var horizontalDilution: Double?
    var verticalDilution: Double?
    var positionDilution: Double?
    /// Those in view.
    var satellites: [Satellite] = []
}
