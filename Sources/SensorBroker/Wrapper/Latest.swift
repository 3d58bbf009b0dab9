internal import Platform

/// A read-only view of a value that a program shares, by its key path.
///
///     struct Dashboard {
///         @Latest(\.location) var location
///     }
///
/// Looks at ``Broker/shared`` or, by a full key path, at the shared instance of any type: `@Latest(\Settings.theme)`. The
/// first look subscribes; so it may find nil, and later ones what has come since.
///
/// For tests, `$location.override = …` puts a value in its place, seen through this instance, and copies that are made of
/// it afterwards, only; nil takes it away again. While there is an override, the shared instance is not even made.
@propertyWrapper
public struct Latest<Root: SharedInstance, Value: Sendable>: Sendable {
    /// A value to be seen instead of the shared one; nil: none.
    public var override: Value?

    private let keyPath: any KeyPath<Root, Value> & Sendable
    private let root: Root?
    private let lease = LazyLease()

    /// A view of what is behind a key path of a type's shared instance, or of another instance.
    public init(_ keyPath: any KeyPath<Root, Value> & Sendable, of root: Root? = nil) {
        self.keyPath = keyPath
        self.root = root
    }

    /// The value, at this moment.
    public var wrappedValue: Value {
        if let override { return override }
        let root = root ?? Root.shared
        lease.take { root.lease(for: keyPath) }
        return root[keyPath: keyPath]
    }

    /// The view itself, for its ``override``.
    public var projectedValue: Self {
        get { self }
        set { self = newValue }
    }
}

extension Latest where Root == Broker {
    /// A view of what is behind a key path of a broker: `\.location`, `\.acceleration`, or either with its time.
    public init(_ keyPath: any KeyPath<Broker, Value> & Sendable, of broker: Broker? = nil) {
        self.keyPath = keyPath
        root = broker
    }
}

/// A lease that is taken at the first look.
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
