/// A read-only view of a shared value, by its key path.
///
///     struct Dashboard {
///         @Latest(\.location) var location
///         @Latest(\.location?.speedMetersPerSecond, maximumAge: .seconds(5)) var speed
///     }
///
/// It reads from ``Broker/current`` or, with a full key path, from the shared instance of any type:
/// `@Latest(\Settings.theme)`. An access subscribes to whatever the getters behind the key path read, so any path to a
/// sensor's value will do. The first access may return nil, and later ones return what has arrived since.
///
/// In tests, `$location.override = …` replaces the value for this instance and for copies made of it afterwards; nil
/// removes the override. While there is one, the shared instance is not even created.
@propertyWrapper
public struct Latest<Root: SharedInstance, Value: Sendable>: Sendable {
    /// A value to return instead of the shared one; nil: none.
    public var override: Value?

    private let read: @Sendable () -> Value
    private let upkeep: Upkeep

    /// Creates a view of a key path of a type's shared instance, or of another instance.
    ///
    /// Sensors' readings that are older than the maximum age count as unknown; nil: no limit.
    public init(
        _ keyPath: any KeyPath<Root, Value> & Sendable, of root: Root? = nil, maximumAge: Duration? = nil
    ) where Root: Sendable {
        self.init(maximumAge) { (root ?? Root.shared)[keyPath: keyPath] }
    }

    /// Creates a view of a key path of a shared instance that belongs to the main actor; it can be read there only.
    ///
    /// Sensors' readings that are older than the maximum age count as unknown; nil: no limit.
    @_disfavoredOverload
    @MainActor public init(_ keyPath: KeyPath<Root, Value>, maximumAge: Duration? = nil) {
        let read: @MainActor () -> Value = { Root.shared[keyPath: keyPath] }
        self.init(maximumAge) { MainActor.assumeIsolated(read) }
    }

    private init(_ maximumAge: Duration?, _ read: @escaping @Sendable () -> Value) {
        self.read = read
        upkeep = Upkeep(maximumAge: maximumAge)
    }

    /// The present value.
    public var wrappedValue: Value { override ?? upkeep.evaluate(read) }

    /// The view itself, to set its ``override``.
    public var projectedValue: Self {
        get { self }
        set { self = newValue }
    }

    /// Why a value is not kept up to date; nil if all are, or if none has been read.
    ///
    /// Later accesses try again: after a release at once, after any other failure at most once a second.
    public var error: SensorError? { upkeep.error }
}

extension Latest where Root == Broker {
    /// Creates a view of a key path of a broker, such as `\.location` or `\.accelerationReading?.value.x`.
    ///
    /// Without a broker, it is ``Broker/current`` at each access. Readings that are older than the maximum age count as unknown; nil:
    /// no limit.
    public init(
        _ keyPath: any KeyPath<Broker, Value> & Sendable, of broker: Broker? = nil, maximumAge: Duration? = nil
    ) {
        self.init(maximumAge) { (broker ?? .current)[keyPath: keyPath] }
    }
}

/// A type with one shared instance, for ``Latest``.
///
/// It may belong to the main actor: `@MainActor final class Settings: @MainActor SharedInstance`.
public protocol SharedInstance: AnyObject {
    /// The shared instance.
    static var shared: Self { get }
}

extension SharedInstance where Self: Sendable {
    /// Has a value kept up to date for as long as the ``Latest`` lives that reads it.
    ///
    /// Call it in the value's getter. `start` returns an object that keeps the value up to date while it is held; it is
    /// called once for each ``Latest`` and name, and never if something else reads the value. A getter that reads a sensor
    /// need not call it: that is noticed anyway.
    public func keepUpToDate(_ name: some Hashable & Sendable, _ start: () -> any Sendable & AnyObject) {
        Upkeep.present?.keep(name, of: self, start)
    }
}

extension Broker: SharedInstance {}
