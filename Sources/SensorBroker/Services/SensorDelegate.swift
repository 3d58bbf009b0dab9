/// Is told what a sensor says, one thing at a time and in order.
///
/// An actor, or a class of the main actor, is told on its own executor; any other class on the executor that was chosen
/// with it. While it is busy, events wait as they do for a slow iteration: a bounded number, the newest win.
public protocol SensorDelegate<Value>: AnyObject, Sendable {
    /// What the sensor measures.
    associatedtype Value: Sendable

    /// A reading came.
    func didUpdate(_ reading: Reading<Value>) async
    /// Readings are missing here.
    func didMiss(_ gap: Gap) async
    /// The resource is in another state.
    func didChange(_ state: ResourceState) async
    /// The interval is this from here on.
    func didReceive(_ grant: Grant) async
    /// The broker is away; it goes on by itself when it is back.
    func didDisconnect(_ error: SensorError) async
    /// Nothing more will come.
    func didFail(_ error: SensorError) async
}

extension SensorDelegate {
    /// Does nothing.
    public func didMiss(_ gap: Gap) async {}
    /// Does nothing.
    public func didChange(_ state: ResourceState) async {}
    /// Does nothing.
    public func didReceive(_ grant: Grant) async {}
    /// Does nothing.
    public func didDisconnect(_ error: SensorError) async {}
    /// Does nothing.
    public func didFail(_ error: SensorError) async {}

    func receive(_ event: SensorEvent<Value>) async {
        switch event {
        case .reading(let reading): await didUpdate(reading)
        case .gap(let gap): await didMiss(gap)
        case .state(let state): await didChange(state)
        case .grant(let grant): await didReceive(grant)
        case .disconnected(let error): await didDisconnect(error)
        }
    }
}
