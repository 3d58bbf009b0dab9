/// One measurement, with a number for each channel of its kind; it never allocates, since thousands come per second.
@usableFromInline package struct Values: Hashable, Sendable {
    /// The largest number of channels that a kind can have.
    package static let mostChannels = 4

    // Four doubles instead of a SIMD vector, whose alignment would enlarge each sample by half. Other rooms read them inline.
    @usableFromInline var first: Double
    @usableFromInline var second: Double
    @usableFromInline var third: Double
    @usableFromInline var fourth: Double
    /// What is measured.
    @usableFromInline package let kind: Kind
    /// At which of the device's inputs for the kind; nobody who receives the values sees it.
    @usableFromInline package let input: UInt8

    /// Creates values for the channels of a kind, in their order; the numbers beyond its channels are 0.
    @inlinable package init(_ kind: Kind, _ vector: SIMD4<Double>) { self.init(kind, vector, input: 0) }

    /// The same, measured at an input.
    @inlinable package init(_ kind: Kind, _ vector: SIMD4<Double>, input: UInt8) {
        (self.kind, self.input) = (kind, input)
        first = vector.x
        second = vector.y
        third = vector.z
        fourth = vector.w
    }

    /// All numbers as a vector.
    @inlinable package var vector: SIMD4<Double> {
        get { SIMD4(first, second, third, fourth) }
        set { self = Self(kind, newValue, input: input) }
    }

    /// The number of a channel.
    @inlinable package subscript(channel: Int) -> Double { vector[channel] }

    /// The numbers of its channels, in their order.
    package var numbers: [Double] { kind.row.channels.indices.map { self[$0] } }

    /// Whether each channel's value is in its range.
    package var isPossible: Bool { kind.row.isPossible(vector) }
}

/// A kind that is measured along three axes.
public protocol VectorKind: Sendable {
    /// The kind.
    static var kind: Kind { get }
}

/// Values of a kind along the three axes of the device: x to the right, y to the top edge, z out of the screen.
///
/// Along the chip's own axes if its mounting is unknown.
public struct Vector<Of: VectorKind>: Hashable, Codable, Sendable {
    /// Along the device's x axis.
    public var x: Double
    /// Along the device's y axis.
    public var y: Double
    /// Along the device's z axis.
    public var z: Double

    /// Creates a vector of three finite components, in the unit of the kind.
    public init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// Creates a vector from values; nil if they are of another kind.
    package init?(_ values: Values) {
        guard values.kind == Of.kind else { return nil }
        self.init(x: values[0], y: values[1], z: values[2])
    }

    /// Creates a vector from a measurement; nil if it is of another kind.
    public init?(_ measured: MeasuredValue) {
        guard case .values(let values) = measured.measurement else { return nil }
        self.init(values)
    }

    /// The values without the kind in their type.
    package var values: Values { Values(Of.kind, SIMD4(x, y, z, 0)) }
}

/// Which edge of the device is up; the raw value is its name on the wire.
public enum Orientation: String, CaseIterable, Codable, Sendable {
    /// The device has lain flat since the first sample, so no edge is up.
    case undefined
    /// The top edge is up.
    case normal
    /// The bottom edge is up.
    case bottomUp = "bottom-up"
    /// The left edge is up.
    case leftUp = "left-up"
    /// The right edge is up.
    case rightUp = "right-up"
}
