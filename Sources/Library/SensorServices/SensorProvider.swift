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
    /// Each sample is later than those before, and none is later than now. What the broker does not take is in ``refusals``; while nobody
    /// wants samples they are dropped.
    public func send(_ value: repeat each Value, at time: BootTime? = nil) {
        guard isWanted else { return }
        var measurements: [Measurement] = []
        repeat measurements.append((each value).measured.measurement)
        link.send(ProvidedSamples(times: time.map { [$0] }, measurements: measurements))
    }

    /// Sends samples that were gathered, oldest first, each with the instant at which it was measured; there are as many instants as values.
    public func send(_ values: [(repeat each Value)], at times: [BootTime]) {
        precondition(values.count == times.count, "each sample has its instant")
        guard isWanted, !values.isEmpty else { return }
        var measurements: [Measurement] = []
        measurements.reserveCapacity(values.count * names.count)
        for value in values { repeat measurements.append((each value).measured.measurement) }
        link.send(ProvidedSamples(times: times, measurements: measurements))
    }

    /// What clients want at present; ``SensorDemand/nobody`` until the broker has answered.
    public var demand: SensorDemand { link.news.demand }

    /// What clients want, and each change of that; a slow iteration gets the newest one.
    ///
    /// An iteration ends with this provider. It throws for an error that waiting cannot cure, and if the very first attempt is refused:
    /// the name is not allowed (``SensorError/notAllowed(_:reason:)``) or another's (``SensorError/nameTaken(_:holder:)``).
    public var demands: some AsyncSequence<SensorDemand, SensorError> & Sendable { link.news.demands }

    /// Samples that clients do not get, since the last element; each goes to one iteration.
    ///
    /// An iteration ends as those of ``demands`` do.
    public var refusals: some AsyncSequence<SensorRefusal, SensorError> & Sendable { link.news.refusals }

    /// Why nothing is provided at present; nil if it is, or is about to be.
    public var error: SensorError? { link.news.error }

    /// Ends the provision, and the iterations.
    public func end() {
        link.end()
        link.news.finish(nil)
    }

    private var isWanted: Bool { link.news.demand != .nobody }
}

/// What a provider sends to: the broker, or its double.
package protocol ProviderLink: AnyObject, Sendable {
    /// What it has told the provider.
    var news: ProviderNews { get }
    /// Takes samples, and never waits; which it does not take are refused in the news.
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
