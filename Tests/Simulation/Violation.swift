/// An invariant that did not hold.
public struct Violation: Equatable, Sendable, CustomStringConvertible {
    /// Which.
    public let invariant: Invariant
    /// Virtual time, nanoseconds.
    public let at: Int64
    /// What was seen.
    public let detail: String

    /// For people.
    public var description: String { "\(invariant.rawValue) at \(Double(at) / 1e9) s: \(detail)" }
}
