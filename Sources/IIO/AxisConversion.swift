internal import Devices
internal import Readings

/// From the chip's numbers to the unit of a kind along the device's axes: (raw + offset) × scale per axis, then the mount matrix.
struct AxisConversion {
    /// Scale and offset of one axis.
    struct Axis: Equatable {
        /// The kernel's unit for each count.
        let scale: Double
        /// Counts, added before scaling.
        let offset: Double

        /// The texts of the attributes `scale` and `offset`; nil if they cannot be meant: the results would not be finite.
        init?(scale: String, offset: String?) {
            guard let scale = Double(scale), (1e-15...1e15).contains(scale.magnitude),
                let offset = Double(offset ?? "0"), offset.magnitude <= 1e18
            else { return nil }
            self.scale = scale
            self.offset = offset
        }
    }

    private let kind: Kind
    private let scale: SIMD3<Double>
    private let offset: SIMD3<Double>
    // nil where it changes nothing: most samples need no matrix.
    private let matrix: MountMatrix?

    init(of kind: Kind, x: Axis, y: Axis, z: Axis, matrix: MountMatrix) {
        self.kind = kind
        scale = SIMD3(x.scale, y.scale, z.scale) * kind.unitFactor
        offset = SIMD3(x.offset, y.offset, z.offset)
        self.matrix = matrix == .identity ? nil : matrix
    }

    func values(_ axes: RawScans.Axes) -> Values {
        let raw = SIMD3(Double(axes.x), Double(axes.y), Double(axes.z))
        let value = (raw + offset) * scale
        return Values(kind, SIMD4(matrix?.applied(to: value) ?? value, 0))
    }
}
