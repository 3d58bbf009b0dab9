/// A kind with one number per measurement.
public protocol ScalarKind: Sendable {
    /// The kind.
    static var kind: Kind { get }
}

/// The number of a measurement whose kind has one.
public struct Scalar<Of: ScalarKind>: Hashable, Codable, Sendable {
    /// The number, in the unit of the kind.
    public var value: Double

    /// A finite number, in the unit of the kind.
    public init(_ value: Double) { self.value = value }

    /// The number of a measurement; nil if that is of another kind.
    public init?(_ measured: MeasuredValue) {
        guard case .values(let values) = measured.measurement, values.kind == Of.kind else { return nil }
        value = values[0]
    }
}
