internal import Devices
internal import Readings

/// Turns the chip's numbers into the unit of a kind along the device's axes: (raw + offset) × scale per axis, then the
/// mounting, then the administrator's calibration.
struct AxisConversion {
    /// Scale and offset of one axis.
    struct Axis: Equatable {
        /// The size of one count, in the kernel's unit.
        let scale: Double
        /// In counts; added before scaling.
        let offset: Double

        /// Reads the attributes `scale` and `offset`; nil if they are implausible: the results would not be finite.
        init?(scale: String, offset: String?) {
            guard let scale = Double(scale), (1e-15...1e15).contains(scale.magnitude),
                let offset = Double(offset ?? "0"), offset.magnitude <= 1e18
            else { return nil }
            self.scale = scale
            self.offset = offset
        }

        /// For values that are in the unit already.
        static let one = Axis(scale: 1)

        private init(scale: Double) { (self.scale, offset) = (scale, 0) }
    }

    private let quantity: Quantity
    private var kind: Kind { quantity.kind }
    private let scale: SIMD4<Double>
    private let offset: SIMD4<Double>
    // nil if it changes nothing: most samples need no matrix and no calibration.
    private let mounted: MountedAxes?
    private let calibration: Calibration?
    private var finish: Finish

    /// The last step, which few kinds have.
    private enum Finish {
        case none
        /// Makes a quaternion's length 1, and brings an angle into 0 up to 360.
        case normal
        /// Puts whether something is near before the count.
        case nearness(Nearness)
    }

    /// A conversion for one axis or three; `factor` turns the driver's unit into the unit of the kind.
    init(
        of quantity: Quantity, _ axes: [Axis], factor: Double, mounted: MountedAxes? = nil,
        calibration: Calibration? = nil, nearness: Nearness = Nearness(level: 0)
    ) {
        let kind = quantity.kind
        self.quantity = quantity
        var (scale, offset) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
        for channel in scale.indices {
            // The parts of one channel share its scale.
            guard let axis = axes.count == 1 ? axes[0] : channel < axes.count ? axes[channel] : nil else { continue }
            (scale[channel], offset[channel]) = (axis.scale * factor, axis.offset)
        }
        for channel in scale.indices where channel >= kind.row.channels.count {
            (scale[channel], offset[channel]) = (0, 0)
        }
        (self.scale, self.offset) = (scale, offset)
        self.mounted = mounted.flatMap { $0.leaves(kind) ? nil : $0 }
        self.calibration = calibration
        finish =
            switch (kind.row.mean, kind.row.change) {
            case (.spherical, _), (.circular, _): .normal
            case (_, .normOrSwitch): .nearness(nearness)
            default: .none
            }
    }

    /// The values that the chip's counts stand for.
    mutating func values(_ raw: RawScans.Numbers) -> Values { values(SIMD4<Double>(raw)) }

    /// The values for numbers in the driver's unit.
    mutating func values(_ numbers: SIMD4<Double>) -> Values {
        var value = (numbers + offset) * scale
        if let mounted { value = SIMD4(mounted.applied(to: SIMD3(value.x, value.y, value.z), of: kind), 0) }
        if let calibration { value = calibration.applied(to: value) }
        switch finish {
        case .none: break
        case .normal: value = kind.row.mean.normal(value)
        case .nearness(var nearness):
            value = [nearness.isNear(at: numbers.x) ? 1 : 0, numbers.x, 0, 0]
            finish = .nearness(nearness)
        }
        return Values(kind, value, input: quantity.input)
    }

    /// The samples that scans stand for, by the numbers of one group in each of them.
    mutating func run(of scans: RawScans, _ range: Range<Int>, group: Int) -> SampleRun {
        let channels = kind.row.channels.count
        assert(range.lowerBound >= 0 && range.upperBound <= scans.count)
        assert((1...RawScans.Numbers.scalarCount).contains(channels))
        var numbers = [Double](repeating: 0, count: range.count * channels)
        if isLinear, (0..<channels).allSatisfy({ scans.column($0, of: group).count == scans.count }) {
            // Channel by channel, thousands at once: this is most of what a sample of a fast device costs.
            var written = numbers.mutableSpan
            for channel in 0..<channels {
                let (scale, offset, column) = (scale[channel], offset[channel], scans.column(channel, of: group))
                let read = column.span
                var index = channel
                for scan in range {
                    written[index] = (Double(read[scan]) + offset) * scale
                    index += channels
                }
            }
        } else {
            for (index, scan) in range.enumerated() {
                let values = values(scans[scan, group])
                for channel in 0..<channels { numbers[index * channels + channel] = values[channel] }
            }
        }
        return SampleRun(of: quantity, at: scans.stamps[range].map(BootTime.init(nanoseconds:)), numbers: numbers)
    }

    /// Whether each value depends on one number only, and on nothing before it.
    private var isLinear: Bool {
        guard case .none = finish else { return false }
        return mounted == nil && calibration == nil
    }

    /// How many of the driver's numbers a change of the value is, for a kind of one channel.
    func numbers(in change: Double) -> Double {
        if case .nearness = finish { return change }
        return change / (scale.x * (calibration?.scale.x ?? 1)).magnitude
    }

    /// The numbers at which something that is near stays near, or something far stays far; nil for any other kind.
    var standing: ClosedRange<Double>? {
        if case .nearness(let nearness) = finish { nearness.standing } else { nil }
    }
}

/// Distinguishes near from far, with a hysteresis of a tenth, so that an object right at the limit does not flutter.
struct Nearness: Equatable {
    private let level: Double
    private var wasNear = false

    /// `level` is the count from which on something is near; 0: any count.
    init(level: Double) { self.level = level }

    /// The counts at which the answer stays as it is.
    var standing: ClosedRange<Double> {
        let lowest = level == 0 ? Double.leastNonzeroMagnitude : level * 0.9
        return wasNear ? lowest...(.infinity) : -.infinity...level * 1.1
    }

    mutating func isNear(at count: Double) -> Bool {
        if count > level * 1.1 {
            wasNear = true
        } else if count < level * 0.9 || level == 0 {
            wasNear = false
        }
        return wasNear
    }
}

/// An administrator's calibration of a sensor: the true value is reading × scale + offset.
public struct Calibration: Equatable, Sendable {
    /// For each channel; 1 if not configured.
    public var scale: SIMD4<Double>
    /// For each channel, in the unit of the kind; 0 if not configured.
    public var offset: SIMD4<Double>

    init(scale: SIMD4<Double>, offset: SIMD4<Double>) { (self.scale, self.offset) = (scale, offset) }

    func applied(to value: SIMD4<Double>) -> SIMD4<Double> { value * scale + offset }
}
