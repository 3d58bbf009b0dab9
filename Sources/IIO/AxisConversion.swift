internal import Devices
internal import Readings

/// From the chip's numbers to the unit of a kind along the device's axes: (raw + offset) × scale per axis, then how it is
/// mounted, then what the administrator has found out.
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

        /// What is measured is in the unit already.
        static let one = Axis(scale: 1)

        private init(scale: Double) { (self.scale, offset) = (scale, 0) }
    }

    private let kind: Kind
    private let scale: SIMD4<Double>
    private let offset: SIMD4<Double>
    // nil where it changes nothing: most samples need no matrix, and no calibration.
    private let mounted: MountedAxes?
    private let calibration: Calibration?
    private var finish: Finish

    /// The last step, which few kinds have.
    private enum Finish {
        case none
        /// To a length of 1.
        case rotation
        /// To 0 up to 360.
        case direction
        /// Whether it is near, before the count.
        case nearness(Nearness)
    }

    /// From one axis, or three, with how many of the kind's unit are one of the driver's.
    init(
        of kind: Kind, _ axes: [Axis], factor: Double, mounted: MountedAxes? = nil, calibration: Calibration? = nil,
        nearness: Nearness = Nearness(level: 0)
    ) {
        self.kind = kind
        var (scale, offset) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
        for place in scale.indices {
            // The parts of one channel share its scale.
            guard let axis = axes.count == 1 ? axes[0] : place < axes.count ? axes[place] : nil else { continue }
            (scale[place], offset[place]) = (axis.scale * factor, axis.offset)
        }
        for place in scale.indices where place >= kind.row.channels.count { (scale[place], offset[place]) = (0, 0) }
        (self.scale, self.offset) = (scale, offset)
        self.mounted = mounted.flatMap { $0.leaves(kind) ? nil : $0 }
        self.calibration = calibration
        finish =
            switch (kind.row.mean, kind.row.change) {
            case (.spherical, _): .rotation
            case (.circular, _): .direction
            case (_, .normOrSwitch): .nearness(nearness)
            default: .none
            }
    }

    /// What the chip's counts mean.
    mutating func values(_ raw: RawScans.Numbers) -> Values { values(SIMD4<Double>(raw)) }

    /// What numbers in the driver's unit mean.
    mutating func values(_ numbers: SIMD4<Double>) -> Values {
        var value = (numbers + offset) * scale
        if let mounted { value = SIMD4(mounted.applied(to: SIMD3(value.x, value.y, value.z), of: kind), 0) }
        if let calibration { value = calibration.applied(to: value) }
        switch finish {
        case .none: break
        case .rotation: value = Self.unit(value)
        case .direction: value.x = Self.direction(value.x)
        case .nearness(var nearness):
            value = [nearness.isNear(at: numbers.x) ? 1 : 0, numbers.x, 0, 0]
            finish = .nearness(nearness)
        }
        return Values(kind, value)
    }

    /// A quaternion with a length of 1; not a number where it is far from that, since then it says nothing.
    private static func unit(_ value: SIMD4<Double>) -> SIMD4<Double> {
        let length = (value * value).sum().squareRoot()
        return (0.9...1.1).contains(length) ? value / length : SIMD4(repeating: .nan)
    }

    /// From 0 up to 360.
    private static func direction(_ degrees: Double) -> Double {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        return rest < 0 ? rest + 360 : rest
    }
}

/// Tells near from far, with a margin of a tenth, so that something at the very limit does not flutter.
struct Nearness: Equatable {
    private let level: Double
    private var wasNear = false

    /// With the count from which on something is near; 0: any.
    init(level: Double) { self.level = level }

    mutating func isNear(at count: Double) -> Bool {
        if count > level * 1.1 {
            wasNear = true
        } else if count < level * 0.9 || level == 0 {
            wasNear = false
        }
        return wasNear
    }
}
