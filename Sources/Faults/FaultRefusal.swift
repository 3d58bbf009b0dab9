/// Why words do not say what is to happen to a device, and what would.
public struct FaultRefusal: Error, Equatable, Sendable {
    /// For people.
    public let words: String

    /// In these words.
    public init(_ words: String) { self.words = words }
}
