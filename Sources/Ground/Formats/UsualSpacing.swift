/// The usual time between samples, and whether one between two of them is a pause.
///
/// A pause is twenty times as long as usual: nothing that is drawn leads across it. A pause itself counts as the longest time that
/// would be none, so that a logger that goes over to a slower rate is soon taken at its word, and an hour in a tunnel changes little.
public struct UsualSpacing: Sendable {
    private static let longPause = 20.0
    /// With fewer spacings nothing is usual yet.
    private static let fewest = 8

    private var nanoseconds = 0.0
    private var count = 0

    /// Creates the spacing of something of which nothing is known.
    public init() {}

    /// Adds the time between two samples; returns whether it is a pause.
    public mutating func add(_ spacingNanoseconds: Int64) -> Bool {
        let spacing = Double(max(0, spacingNanoseconds))
        let most = count > Self.fewest ? nanoseconds / Double(count) * Self.longPause : .infinity
        nanoseconds += min(spacing, most)
        count += 1
        return spacing > most
    }
}
