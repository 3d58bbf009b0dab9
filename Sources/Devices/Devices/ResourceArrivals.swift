public import Platform
public import Readings

/// Where threads announce further resources that they have found, and from which of them others are derived; the loop is
/// woken and serves them.
///
/// A repeated announcement does no harm: the loop ignores a name that it serves already.
public typealias ResourceArrivals = WakeQueue<Announcement>

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

    /// Starts a device's thread on a channel.
    public typealias Start = @Sendable (DeviceChannel) throws(SystemError) -> Void

    /// Where the samples of a resource come from.
    public enum Origin: Sendable {
        /// A device of its own; `start` starts its thread on a channel, and is called once, on the loop's thread.
        case device(start: Start)
        /// The device of another resource, which is served already.
        case deviceOf(ResourceName)
    }

    /// What it measures.
    public var kind: Kind { quantity.kind }

    /// A resource, with where its samples come from.
    public init(_ name: ResourceName, _ quantity: Quantity, isSimulated: Bool = false, from origin: Origin) {
        (self.name, self.quantity, self.isSimulated, self.origin) = (name, quantity, isSimulated, origin)
    }
}
