/// A program as a sensor: it sends what it measures, and every program of the host can read it like any other sensor.
///
///     let arm = broker.provide(Acceleration.self, named: "accelerometer:arm")
///     for try await sample in port.samples { arm.send(Acceleration(x: sample.x, y: sample.y, z: sample.z)) }
///
/// Several values are one device, such as an inertial measurement unit: all are measured at the same times. What is measured at other times
/// is another provider.
///
/// A provider is a class and no actor: to send neither waits nor changes the executor, so it can be called from any thread, thousands
/// of times a second. It connects again by itself when the broker was away. The sensor is there as long as this object is, or until
/// ``end()``; to its clients it is unplugged then, and their subscriptions wait for the next provider.
public final class SensorProvider<each Value: Providable>: Sendable {
    /// The resources as clients know them, in the order of the values.
    public let names: [ResourceName]
    private let link: any ProviderLink

    /// Creates the provider of these resources at the end of a link.
    package init(_ names: [ResourceName], _ link: any ProviderLink) {
        self.names = names
        self.link = link
    }

    deinit { end() }

    /// Sends a sample of each resource, measured at an instant; nil: now.
    ///
    /// Each sample is later than those before, and none is later than now. What is not taken is in ``events``; while nobody
    /// wants samples they are dropped.
    public func send(_ value: repeat each Value, at time: BootTime? = nil) {
        guard isWanted else { return }
        var measurements: [Measurement] = []
        repeat measurements.append((each value).measured.measurement)
        link.send(ProvidedSamples(times: time.map { [$0] }, measurements: measurements))
    }

    /// Sends samples of each resource that were gathered, oldest first, and the instants at which they were measured; of each there are as many
    /// as instants.
    public func send(_ values: repeat [each Value], at times: [BootTime]) {
        repeat precondition((each values).count == times.count, "each sample has its instant")
        guard isWanted, !times.isEmpty else { return }
        var measurements: [Measurement] = []
        measurements.reserveCapacity(times.count * names.count)
        for index in times.indices { repeat measurements.append((each values)[index].measured.measurement) }
        link.send(ProvidedSamples(times: times, measurements: measurements))
    }

    /// What clients want at present; ``SensorDemand/nobody`` until the broker has answered.
    public var demand: SensorDemand { link.status.demand }

    /// What clients want, and each change of that; a slow iteration gets the newest one.
    ///
    /// An iteration ends with this provider. It throws for an error that waiting cannot cure, and as long as the broker refuses: the name is not
    /// allowed (``SensorError/notAllowed(_:reason:)``) or another's (``SensorError/nameTaken(_:holder:)``). The provider goes on trying
    /// as long as it is there: who wants to wait until that is cured iterates over ``events``.
    public var demands: some AsyncSequence<SensorDemand, SensorError> & Sendable {
        ProviderDemands(events: link.status.events)
    }

    /// What happens, from the start of an iteration on: demands, refused samples, and why nothing is provided.
    ///
    /// An iteration ends with this provider. It throws only for an error that waiting cannot cure. A slow one gets the newest event of each kind,
    /// and the sum of what was refused.
    public var events: some AsyncSequence<ProviderEvent, SensorError> & Sendable { link.status.events }

    /// Why nothing is provided at present; nil if it is, or is about to be.
    public var error: SensorError? { link.status.error }

    /// Ends the provision, and the iterations.
    ///
    /// Where the socket has no room yet for the rest of what was sent, this waits for it, two seconds at most; what is not taken then is the
    /// last of ``events``. So does the end of the last reference.
    public func end() {
        link.end()
        link.status.finish(nil)
    }

    private var isWanted: Bool { link.status.demand != .nobody }
}

/// What a provider sends to: the broker, or its double.
package protocol ProviderLink: AnyObject, Sendable {
    /// How the provision stands.
    var status: ProviderStatus { get }
    /// Takes samples, and never waits; those that it does not take are refused by an event.
    func send(_ samples: ProvidedSamples)
    /// Takes nothing any more.
    func end()
}

/// Samples of all resources of a provider.
package struct ProvidedSamples: Sendable {
    /// When each was measured, oldest first; nil: it is one, measured now.
    package let times: [BootTime]?
    /// One for each resource, in their order, at the first time; then those at the next one.
    package let measurements: [Measurement]

    package init(times: [BootTime]?, measurements: [Measurement]) {
        self.times = times
        self.measurements = measurements
    }

    /// How many each resource has.
    package var count: Int { times?.count ?? 1 }
}
