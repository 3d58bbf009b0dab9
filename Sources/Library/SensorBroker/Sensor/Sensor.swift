public import Observation
internal import Locking

/// A sensor of the host; create one wherever it is needed.
///
/// All sensors of a broker share its connection, and those with equal requests share a subscription. Creating one does not switch
/// the device on; listening does. It may be used from any thread. ``latest``, ``state``, ``error`` and the settings can be observed.
///
/// The kind is that of the value: ``Accelerometer`` is a `Sensor<Acceleration>`. A type of your own that is ``/SensorValues/Measurable`` will do as
/// well.
public final class Sensor<Value: Measurable>: SensorService, Observable, Sendable {
    let tuning: Tuning
    private let lease = Locked<Lease?>(nil)
    /// Whether it uses ``Broker/current``, since it was given no broker.
    private let followsCurrent: Bool
    private let delegation = Delegation<Value>()

    /// Creates a sensor; without a name, the first one that measures such values.
    ///
    /// Nil as the interval means the resource's default. Without a broker, it uses ``Broker/current`` at each access: in a test that
    /// replaces that, it is another sensor with the same settings.
    public convenience init(
        broker: Broker? = nil, resource: ResourceName = Value.firstResource, updateInterval: Duration? = nil
    ) {
        self.init(broker, SensorRequest(Value.self, of: resource, every: updateInterval))
    }

    /// Creates a sensor with a request.
    init(_ broker: Broker?, _ request: SensorRequest) {
        followsCurrent = broker == nil
        tuning = Tuning((broker ?? .current).session, request)
        tuning.session.attach()
    }

    /// Creates what stands for a sensor in another broker: with its settings, and updates if it has started them.
    private init(for sensor: Sensor, in broker: Broker) {
        assert(sensor.followsCurrent && broker.session !== sensor.tuning.session)
        followsCurrent = false
        tuning = Tuning(broker.session, like: sensor.tuning)
        tuning.session.attach()
        if sensor.lease.withLock({ $0 != nil }) { startUpdates() }
    }

    deinit {
        tuning.session.detach()
        if followsCurrent { StandIns.remove(ObjectIdentifier(self)) }
    }

    /// This sensor or, where another broker than its own is ``Broker/current``, what stands for it there.
    private var here: Sensor {
        guard followsCurrent, let broker = Broker.replacement, broker.session !== tuning.session else { return self }
        return broker.standIns.standIn(for: self) { Sensor(for: self, in: broker) }
    }

    /// The request to the broker.
    public var request: SensorRequest { here.tuning.observedRequest }

    /// Changes the request, also while readings come: `mutateRequest { $0.filter = .mean }`.
    ///
    /// Changes that other threads make at the same time are kept. If there is one, the closure runs again, so it should
    /// only change the request. An invalid request is refused: running streams keep the former one and yield
    /// ``/SensorServices/SensorEvent/refused(_:)``, and new ones end with the error.
    public func mutateRequest(_ body: (inout SensorRequest) -> Void) {
        here.tuning.mutateRequest { request in
            let former = request
            body(&request)
            // A request that was made or stored elsewhere names its resource only, or is another manager's of the same type.
            let hasOwn =
                Value.self is any Composed.Type && !request.companions.isEmpty
                && (request.resource == former.resource || request.companions != former.companions)
            if !hasOwn { request.ask(for: Value.self) }
        }
    }

    /// How old ``latest`` may be; older readings count as unknown.
    ///
    /// Nil: no limit.
    public var maximumAge: Duration? {
        get { here.tuning.maximumAge }
        set { here.tuning.maximumAge = newValue }
    }

    /// The newest valid reading, whoever asked for it.
    ///
    /// Observers are notified when another one comes, and when it becomes invalid, but not when it has reached its age.
    public var latest: Reading<Value>? {
        let (upkeep, here) = (Upkeep.present, here)
        upkeep?.keep("updates", of: here) { Lease(here.tuning) }
        return here.tuning.newest(maximumAge: upkeep?.maximumAge).flatMap { Reading($0) }
    }

    /// The sensor's state; nil until the first attempt to reach the broker has succeeded or failed.
    ///
    /// Without a broker, a permission or such a resource, it is unavailable for that reason.
    public var state: ResourceState? { here.tuning.resourceState }

    /// The sensor's events, from the start of an iteration on.
    public var events: SensorEvents<Value> { here.tuning.events() }

    /// Keeps ``latest`` up to date without an iteration, until ``stopUpdates()`` or the end of the sensor.
    ///
    /// If that fails, ``error`` has the reason. After a release or a failure, another call starts again.
    public func startUpdates() {
        let here = here
        here.lease.withLock { lease in
            if let lease { lease.renew(isAsked: true) } else { lease = Lease(here.tuning) }
        }
        here.tuning.errorMayHaveChanged()
    }

    /// Stops keeping ``latest`` up to date.
    public func stopUpdates() {
        let here = here
        // Deinitialised after the lock is released.
        let former = here.lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
        withExtendedLifetime(former) {}
        here.tuning.errorMayHaveChanged()
    }

    /// Why ``latest`` is not kept up to date although ``startUpdates()`` was called; nil if it is, or is about to be.
    ///
    /// The sensor is kept up to date again when the broker, the permission or the resource is there. After a release
    /// the error is ``/SensorServices/SensorError/cancelled`` until the next call; an invalid request is replaced by
    /// the next valid one.
    public var error: SensorError? {
        let here = here
        // Also without a lease: an observer of a sensor that is started later is notified.
        here.tuning.readError()
        guard let lease = here.lease.withLock({ $0 }) else { return nil }
        return lease.error ?? here.tuning.accuracy.fault ?? here.kindFault
    }

    /// The error for a resource that measures something else, once it has been read.
    private var kindFault: SensorError? {
        guard let measured = tuning.newest(maximumAge: nil), Reading<Value>(measured) == nil,
            !measured.isIncomplete(Value.self)
        else { return nil }
        return .wrongKind(measured.resource)
    }

    /// Sets the delegate, or removes it: what `setDelegate(_:on:)` calls.
    public func setDelegate(reference: DelegateReference<Value>?) {
        let here = here
        here.delegation.set(reference, to: here.events) { here.tuning.session.watch($0) }
    }

    /// Requests one reading of at most this age.
    ///
    /// The call returns or throws within the timeout; for the broker's answer a second is allowed if that is longer.
    public nonisolated(nonsending) func requestReading(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Value> {
        let tuning = here.tuning
        if let fault = tuning.accuracy.fault { throw fault }
        let request = tuning.request
        guard request.companions.isEmpty else {
            // One call reads one resource, so what is made of several is taken from a stream.
            let known = tuning.session.newest(for: request, maximumAge: maximumAge).flatMap { Reading<Value>($0) }
            if let known, maximumAge > .zero { return known }
            let since = BootTime.now + -max(.zero, maximumAge).clampedNanoseconds
            return try await events.firstReading(since: since, within: timeout, of: request.resource)
        }
        let resource = request.resource
        let measured = try await tuning.session.read(
            resource, maximumAge: maximumAge, timeout: timeout, accuracyMeters: tuning.accuracy.meters)
        guard let reading = Reading<Value>(measured) else { throw .wrongKind(resource) }
        return reading
    }
}

extension Sensor: LocationService where Value == Location {
    /// The largest acceptable error in metres, applied in this process; nil: no filter.
    ///
    /// Readings with an unknown error are left out.
    ///
    /// This does not make the receiver more accurate. `requestLocation(maximumAge:timeout:)` waits for a reading that
    /// is accurate enough, and at its deadline returns the best one that came.
    public var desiredAccuracy: Double? {
        get { here.tuning.observedAccuracy }
        set { here.tuning.setAccuracy(newValue) }
    }
}

extension Sensor: AccelerometerService where Value == Acceleration {}
