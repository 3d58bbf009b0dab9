public import Readings

/// The resources that an administrator has released, and until when: a list of orders, of which the latest that covers
/// a resource counts.
///
/// So one resource can be taken back while the others of its kind stay released. A resource that appears later is
/// released with its kind. A resource that was released for a time stays released afterwards if all were released
/// before.
public struct Releases: Equatable, Sendable {
    /// One order of the administrator.
    public struct Order: Equatable, Sendable {
        /// The resources that it covers.
        public let scope: ResourceScope
        /// Whether it releases them; false: it takes them back.
        public let isRelease: Bool
        /// When the release stops counting; nil: never.
        public let until: BootTime?

        /// An order for some resources.
        public init(scope: ResourceScope, isRelease: Bool, until: BootTime?) {
            self.scope = scope
            self.isRelease = isRelease
            self.until = until
        }
    }

    /// The orders that still count, oldest first.
    public private(set) var orders: [Order] = []

    /// Nothing is released.
    public init() {}

    /// The orders of another process.
    public init(_ orders: [Order]) { for order in orders { add(order) } }

    /// Releases these resources, until an instant if one is given.
    public mutating func release(_ scope: ResourceScope, until: BootTime?) {
        add(Order(scope: scope, isRelease: true, until: until))
    }

    /// Takes these resources back.
    public mutating func reacquire(_ scope: ResourceScope) {
        add(Order(scope: scope, isRelease: false, until: nil))
        // Drops orders to take back that have no release before them.
        if let first = orders.firstIndex(where: \.isRelease) { orders.removeFirst(first) } else { orders = [] }
    }

    /// Whether a resource is released.
    public func contain(_ name: ResourceName, _ kind: Kind) -> Bool {
        orders.last { $0.scope.contains(name, kind) }?.isRelease ?? false
    }

    /// When the next order expires; nil: never.
    public var deadline: BootTime? { orders.compactMap(\.until).min() }

    /// Drops orders whose time is over.
    public mutating func expire(now: BootTime) { orders.removeAll { $0.until.map { now >= $0 } ?? false } }

    /// An order replaces all earlier ones that it covers, so there are never more orders than scopes.
    private mutating func add(_ order: Order) {
        orders.removeAll { order.scope.covers($0.scope) }
        orders.append(order)
        assert(
            orders.indices.allSatisfy { index in
                !orders[index...].dropFirst().contains { $0.scope.covers(orders[index].scope) }
            },
            "an order outlives a later one that covers it")
    }
}

/// Some of the resources: one, all of a kind, or all.
public enum ResourceScope: Equatable, Sendable {
    /// The resource of that name.
    case resource(ResourceName)
    /// The resources of that kind.
    case kind(Kind)
    /// All resources.
    case all

    /// Whether a resource is in this scope.
    public func contains(_ name: ResourceName, _ kind: Kind) -> Bool {
        switch self {
        case .resource(let one): one == name
        case .kind(let those): those == kind
        case .all: true
        }
    }

    /// Whether it includes the other scope, as far as names show; a resource's name does not show its kind.
    func covers(_ other: Self) -> Bool { self == .all || self == other }
}
