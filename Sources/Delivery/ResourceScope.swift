public import Readings

/// Some of the resources: one, those of a kind, or all.
public enum ResourceScope: Equatable, Sendable {
    /// The one of that name.
    case resource(ResourceName)
    /// Those that measure this.
    case kind(Kind)
    /// Every one.
    case all

    /// Whether a resource is one of them.
    public func contains(_ name: ResourceName, _ kind: Kind) -> Bool {
        switch self {
        case .resource(let one): one == name
        case .kind(let those): those == kind
        case .all: true
        }
    }

    /// Whether it has all the other has, as far as names tell; a resource's name does not tell its kind.
    func covers(_ other: Self) -> Bool { self == .all || self == other }
}
