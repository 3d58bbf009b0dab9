/// A read-only view of a shared value: of a sensor's, or of any type's by its key path.
///
///     struct Dashboard {
///         @Latest(\.location) var location
///         @Latest(Accelerometer.self, every: .milliseconds(20)) var acceleration
///         @Latest(LocationManager.self, \.value.speedMetersPerSecond, maximumAge: .seconds(5)) var speed
///         @Latest(Thermometer.self, named: "temperature:1") var outside
///         @Latest(\Settings.theme) var theme
///     }
///
/// A sensor's value is that of ``Broker/current`` at each access. A key path reads from it as well or, with the name of a type, from the
/// shared instance of that. An access subscribes to whatever the getters behind the key path read, so any path to a sensor's value will
/// do. The first access may return nil, and later ones return what has arrived since.
///
/// In tests, `$location.override(with: …)` replaces the value for this instance and for copies made of it afterwards. While it is
/// replaced, the shared instance is not even created.
@propertyWrapper
public struct Latest<Root: SharedInstance, Value: Sendable>: Sendable {
    /// The value to return instead of the shared one, which may itself be nil; nil: none.
    private var replacement: Value?

    private let read: @Sendable () -> Value
    private let upkeep: Upkeep

    /// Creates a view of a key path of a type's shared instance, or of another instance.
    ///
    /// Sensors' readings that are older than the maximum age count as unknown; nil: no limit.
    public init(
        _ keyPath: any KeyPath<Root, Value> & Sendable, of root: Root? = nil, maximumAge: Duration? = nil
    ) where Root: Sendable {
        self.init(Upkeep(maximumAge: maximumAge)) { (root ?? Root.shared)[keyPath: keyPath] }
    }

    /// Creates a view of a key path of a shared instance that belongs to the main actor; it can be read there only.
    ///
    /// Sensors' readings that are older than the maximum age count as unknown; nil: no limit.
    @_disfavoredOverload
    @MainActor public init(_ keyPath: KeyPath<Root, Value>, maximumAge: Duration? = nil) {
        let read: @MainActor () -> Value = { Root.shared[keyPath: keyPath] }
        self.init(Upkeep(maximumAge: maximumAge)) { MainActor.assumeIsolated(read) }
    }

    init(_ upkeep: Upkeep, _ read: @escaping @Sendable () -> Value) {
        self.read = read
        self.upkeep = upkeep
    }

    /// The present value.
    public var wrappedValue: Value { replacement ?? upkeep.evaluate(read) }

    /// The view itself, to replace its value in tests.
    public var projectedValue: Self {
        get { self }
        set { self = newValue }
    }

    /// Replaces the value, for this view and for copies made of it afterwards.
    ///
    /// Nil is a value, where the value may be unknown: `$location.override(with: nil)`.
    public mutating func override(with value: Value) { replacement = .some(value) }

    /// Shows the shared value again.
    public mutating func removeOverride() { replacement = nil }

    /// Why a value is not kept up to date; nil if all are, or if none has been read.
    ///
    /// Later accesses try again: after a release at once, after any other failure at most once a second.
    public var error: SensorError? { upkeep.error }
}

/// A type with one shared instance, for ``Latest``.
///
/// The type may belong to the main actor: `@MainActor final class Settings: @MainActor SharedInstance`.
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
