/// A SKY of gpsd: how many satellites there are.
struct SkyReport: Equatable, Sendable {
    /// In the solution.
    var used: Int
    /// In view.
    var visible: Int
}
