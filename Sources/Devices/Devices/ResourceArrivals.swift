public import Platform
public import Readings

/// Where threads announce further resources that they have found, and from which of them others are derived; the loop is
/// woken and serves them.
///
/// A repeated announcement does no harm: the loop ignores a name that it serves already.
public typealias ResourceArrivals = WakeQueue<Announcement>

extension WakeQueue<Announcement> {
    /// Announces a resource to the loop; from any thread.
    public func announce(_ arrival: ResourceArrival) { put(.arrival(arrival)) }

    /// Announces to the loop from which resource others are derived from now on; from any thread.
    public func announce(_ source: DerivationSource) { put(.source(source)) }

    /// Announces to the loop from which accelerometers the angle of the hinge is derived from now on; from any thread.
    public func announce(_ sources: HingeSources) { put(.hinge(sources)) }
}

/// What a thread has found out about resources.
public enum Announcement: Sendable {
    /// There is a further resource.
    case arrival(ResourceArrival)
    /// Others are derived from this one.
    case source(DerivationSource)
    /// The angle of the hinge is derived from these.
    case hinge(HingeSources)
}

/// The accelerometers in the lid and in the base of a device that can be folded.
public struct HingeSources: Equatable, Sendable {
    /// The one in the lid; nil: there is none.
    public let lid: ResourceName?
    /// The one in the base.
    public let base: ResourceName?

    /// Two accelerometers, or what there is of them.
    public init(lid: ResourceName?, base: ResourceName?) { (self.lid, self.base) = (lid, base) }

    /// Those of a scenario, and of programs: they are in the place after which they are named.
    public static let byName = Self(lid: .accelerometer, base: ResourceName("accelerometer:base"))

    /// Why nothing follows if one is missing.
    public var absence: String { "no accelerometer is in the \(lid == nil ? "lid" : "base")" }
}

/// The resource from which others are derived, and why it is that one.
public struct DerivationSource: Equatable, Sendable {
    /// The kind that it measures.
    public let kind: Kind
    /// Its name; nil: nothing can be derived.
    public let name: ResourceName?
    /// Why; nil if there is no choice.
    public let reason: String?

    /// A source, or the reason for which there is none.
    public init(_ kind: Kind, _ name: ResourceName?, because reason: String?) {
        (self.kind, self.name, self.reason) = (kind, name, reason)
    }

    /// The first resource of a kind.
    public static func first(_ kind: Kind) -> Self { Self(kind, kind.row.firstResource, because: nil) }
}

/// A resource that was found while the daemon was running.
public struct ResourceArrival: Sendable {
    /// The name that clients will use for it.
    public let name: ResourceName
    /// What it measures, and at which of its device's inputs.
    public let quantity: Quantity
    /// True if a mock or a replay makes the samples.
    public let isSimulated: Bool
    /// Where its samples come from.
    public let origin: Origin

    /// Where the samples of a resource come from.
    public enum Origin: Sendable {
        /// A device of its own; `start` starts its thread on a channel, and is called once, on the loop's thread.
        case device(start: @Sendable (DeviceChannel) throws(SystemError) -> Void)
        /// The device of another resource, which is served already.
        case deviceOf(ResourceName)
    }

    /// What it measures.
    public var kind: Kind { quantity.kind }

    /// A further resource of a device whose other resource is served already.
    public init(
        name: ResourceName, kind: Kind, input: UInt8 = 0, isSimulated: Bool, ofDeviceOf other: ResourceName
    ) {
        self.name = name
        quantity = Quantity(kind, input: input)
        self.isSimulated = isSimulated
        origin = .deviceOf(other)
    }

    /// A resource, and how to start its device's thread.
    public init(
        name: ResourceName, kind: Kind, input: UInt8 = 0, isSimulated: Bool,
        start: @escaping @Sendable (DeviceChannel) throws(SystemError) -> Void
    ) {
        self.name = name
        quantity = Quantity(kind, input: input)
        self.isSimulated = isSimulated
        origin = .device(start: start)
    }
}
