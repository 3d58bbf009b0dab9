/// What a device measures: a kind, at one of the inputs that the device has for it.
///
/// Nearly every device has one input for a kind. A converter has several: an INA226 measures the voltage at its shunt and
/// the voltage of the bus, and each is a resource.
public struct Quantity: Hashable, Sendable {
    /// The kind.
    public let kind: Kind
    /// The place among the device's inputs for the kind; 0 is the first.
    public let input: UInt8

    /// How many inputs a device can have for a kind; further ones are not served.
    public static let mostInputs = 32

    /// A kind at an input.
    public init(_ kind: Kind, input: UInt8 = 0) { (self.kind, self.input) = (kind, input) }
}

extension Measurement {
    /// What was measured.
    public var quantity: Quantity {
        if case .values(let values) = self { Quantity(values.kind, input: values.input) } else { Quantity(kind) }
    }
}
