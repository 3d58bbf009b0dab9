/// An event that a device's thread sends to the loop, in order.
public enum DeviceEvent: Equatable, Sendable {
    /// A sample. The samples of one scan, each of another kind or input, share number and time.
    case sample(Sample)
    /// Several samples of one kind at one input.
    case run(SampleRun)
    /// Samples of all requested kinds that were lost before they reached the daemon.
    case gap(Gap)
    /// Samples of one kind and input that are missing from scans of which others arrived.
    case missing(Gap, of: Quantity)
    /// The device's profile, sent again when it changes.
    case profile(DeviceProfile)
    /// The device was opened, so sample numbers start at 0 again.
    case opened
    /// The driver was replaced and may have another device; what the former one reported is void.
    case replaced
    /// The device's state.
    case state(ResourceState)
    /// An attempt to use the device failed for this reason; the state may be unchanged. In part: only what its profile withholds.
    case failed(reason: String, inPart: Bool = false)
}

/// The capabilities of a device, as its driver found them.
public struct DeviceProfile: Equatable, Sendable {
    /// The intervals at which it can run.
    public var offered: OfferedIntervals
    /// The present interval, read back from the device; nil while it is closed or does not report it.
    public var intervalNanoseconds: Int64?
    /// Driver, device node or receiver, for people to read.
    public var description: String?
    /// True if its samples come from a mock or a recording.
    public var simulated: Bool
    /// The kinds that the device yields; resources of other kinds are unavailable while this device is present.
    public var kinds = KindSet.all
    /// What the device calls the inputs of which it has several, or that have a label; for people.
    public var inputs: [Quantity: String] = [:]
    /// The quantities of which nobody gets samples at present, with the reason, such as a size of counts that is not known.
    ///
    /// What follows from their direction alone can be derived all the same, if there are samples.
    public var withheld: [Quantity: String] = [:]
    /// True if its samples were already decimated to the interval, as in a recording: all are delivered, even if two
    /// are close together.
    public var isDecimated = false
    /// How long it may be silent although it works, as a device that reports only changes; nil: no longer than its interval.
    public var restNanoseconds: Int64?
    /// What distinguishes it from other devices, and stays the same when it comes back; nil: nothing does.
    public var identity: String?
    /// The axes that its vectors follow.
    public var axes = Axes.device

    /// The axes that vectors are measured along.
    public enum Axes: Sendable {
        /// The axes of the device that contains the chip.
        case device
        /// The axes of the chip, whose mounting is unknown.
        case chip
    }

    /// The description of one of the resources that the device has.
    public func description(of quantity: Quantity) -> String? {
        guard let input = inputs[quantity] else { return description }
        return description.map { "\(input) of \($0)" } ?? input
    }

    /// Creates a profile.
    public init(offered: OfferedIntervals, intervalNanoseconds: Int64?, description: String?, simulated: Bool) {
        self.offered = offered
        self.intervalNanoseconds = intervalNanoseconds
        self.description = description
        self.simulated = simulated
    }
}

/// The combined demand of a device's subscribers.
public struct Demand: Equatable, Sendable {
    /// The longest interval that satisfies all of them; nil if any interval will do.
    public var intervalNanoseconds: Int64?
    /// How long samples may be held back in the device to be delivered together; 0: not at all.
    public var latencyNanoseconds: Int64
    /// What is requested; what the device does not have is ignored.
    public var kinds: KindSet
    /// The smallest change that matters to any subscriber; what is not in it is wanted sample by sample.
    public var changes: [Quantity: Double]

    /// Creates a demand for an interval, with leave to batch samples, for some kinds or all.
    public init(
        intervalNanoseconds: Int64?, latencyNanoseconds: Int64 = 0, kinds: KindSet = .all,
        changes: [Quantity: Double] = [:]
    ) {
        self.kinds = kinds
        self.changes = changes
        self.intervalNanoseconds = intervalNanoseconds
        self.latencyNanoseconds = latencyNanoseconds
    }
}

/// The sample intervals that a device offers, in nanoseconds.
public enum OfferedIntervals: Equatable, Sendable {
    /// Only these; ascending, positive, not empty.
    case discrete([Int64])
    /// Any interval in a range.
    case range(shortestNanoseconds: Int64, longestNanoseconds: Int64)
    /// The device decides; it is never faster than this.
    case fixed(shortestNanoseconds: Int64)

    /// The shortest interval at which the device can run.
    public var shortestNanoseconds: Int64 {
        switch self {
        case .discrete(let intervals): intervals.first ?? 1
        case .range(let shortest, _), .fixed(let shortest): shortest
        }
    }
}
