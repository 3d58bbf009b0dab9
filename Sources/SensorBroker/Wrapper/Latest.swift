internal import Platform

/// A read-only view of a shared value, by its key path.
///
///     struct Dashboard {
///         @Latest(\.location) var location
///     }
///
/// It reads from ``Broker/shared`` or, with a full key path, from the shared instance of any type:
/// `@Latest(\Settings.theme)`. The first access subscribes; it may return nil, and later ones return what has arrived
/// since.
///
/// In tests, `$location.override = …` replaces the value for this instance and for copies made of it afterwards; nil
/// removes the override. While there is one, the shared instance is not even created.
@propertyWrapper
public struct Latest<Root: SharedInstance, Value: Sendable>: Sendable {
    /// A value to return instead of the shared one; nil: none.
    public var override: Value?

    private let keyPath: any KeyPath<Root, Value> & Sendable
    private let root: Root?
    private let lease = LazyLease()

    /// Creates a view of a key path of a type's shared instance, or of another instance.
    public init(_ keyPath: any KeyPath<Root, Value> & Sendable, of root: Root? = nil) {
        self.keyPath = keyPath
        self.root = root
    }

    /// The present value.
    public var wrappedValue: Value {
        if let override { return override }
        let root = root ?? Root.shared
        lease.take { root.lease(for: keyPath) }
        return root[keyPath: keyPath]
    }

    /// The view itself, to set its ``override``.
    public var projectedValue: Self {
        get { self }
        set { self = newValue }
    }
}

extension Latest where Root == Broker {
    /// Creates a view of a key path of a broker, such as `\.location` or `\.accelerationReading`.
    public init(_ keyPath: any KeyPath<Broker, Value> & Sendable, of broker: Broker? = nil) {
        self.keyPath = keyPath
        root = broker
    }
}

/// A lease that is taken on first access.
private final class LazyLease: Sendable {
    private struct State {
        var wasTaken = false
        var lease: (any Sendable & AnyObject)?
    }

    private let state = Locked(State())

    func take(_ make: () -> (any Sendable & AnyObject)?) {
        state.withLock { state in
            guard !state.wasTaken else { return }
            state.wasTaken = true
            state.lease = make()
        }
    }
}

/// A type with one shared instance, for ``Latest``.
public protocol SharedInstance: AnyObject, Sendable {
    /// The shared instance.
    static var shared: Self { get }

    /// An object that keeps the value behind a key path up to date while it is held; nil if none is needed.
    func lease(for keyPath: PartialKeyPath<Self>) -> (any Sendable & AnyObject)?
}

extension SharedInstance {
    /// None is needed.
    public func lease(for keyPath: PartialKeyPath<Self>) -> (any Sendable & AnyObject)? { nil }
}

extension Broker: SharedInstance {
    /// Subscribes to the resource behind the key path, at its default interval.
    public func lease(for keyPath: PartialKeyPath<Broker>) -> (any Sendable & AnyObject)? {
        switch keyPath {
        case \Broker.location, \Broker.locationReading: Lease(Tuning(session, SensorRequest(.location)))
        case \Broker.acceleration, \Broker.accelerationReading: Lease(Tuning(session, SensorRequest(.accelerometer)))
        default: nil
        }
    }
}
