/// A type of which a program has one shared instance, which ``Latest`` can look at.
public protocol SharedInstance: AnyObject, Sendable {
    /// The one that everybody means who does not name another.
    static var shared: Self { get }

    /// What keeps the value behind a key path up to date for as long as it is held; nil where nothing need be done.
    func lease(for keyPath: PartialKeyPath<Self>) -> (any Sendable & AnyObject)?
}

extension SharedInstance {
    /// Nothing need be done.
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
