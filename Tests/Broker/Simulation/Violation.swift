/// An invariant that did not hold.
public struct Violation: Equatable, Sendable, CustomStringConvertible {
    /// The invariant.
    public let invariant: Invariant
    /// Virtual time, in nanoseconds.
    public let at: Int64
    /// What was observed.
    public let detail: String

    /// For people.
    public var description: String { "\(invariant.rawValue) at \(Double(at) / 1e9) s: \(detail)" }
}
