extension Broker {
    /// Makes this program a sensor, or several that are one device, and returns what sends their samples.
    ///
    ///     let imu = broker.provide(
    ///         Acceleration.self, AngularVelocity.self, named: "accelerometer:arm", "gyroscope:arm",
    ///         offer: SensorOffer(device: "BNO055 at /dev/ttyUSB0", intervals: .oneOf([.milliseconds(10), .milliseconds(20)])))
    ///     imu.send(acceleration, rate)
    ///
    /// Names are those of the kinds, with a suffix that names the sensor, in the order of the values; those that are
    /// not given are the first of their kind, such as `accelerometer`. The broker's configuration permits each name, in
    /// a section `[Feed accelerometer:arm]`.
    ///
    /// The call does not wait. What the broker answers is in ``/SensorServices/SensorProvider/demands`` and
    /// ``/SensorServices/SensorProvider/error``.
    public func provide<each Value: Providable>(
        _ values: repeat (each Value).Type, named names: String..., offer: SensorOffer = SensorOffer()
    ) -> SensorProvider<repeat each Value> {
        var types: [any Providable.Type] = []
        repeat types.append(each values)
        let resources = ProvidedResources(types, named: names)
        let feed = Feed(resources, offer, seed: .random(in: .min ... .max))
        let fault = resources.fault ?? offer.fault ?? feed.fault
        return SensorProvider(resources.names, FeedLink(feed, of: session, fault))
    }
}

/// A provider's end of a feed: it lasts until the provider ends it, and keeps the session.
final class FeedLink: ProviderLink {
    private let feed: Feed
    private let session: Session
    private let id: FeedID?

    /// Provides the feed, unless there is a fault, which ends it.
    init(_ feed: Feed, of session: Session, _ fault: SensorError?) {
        self.feed = feed
        self.session = session
        if let fault { feed.status.finish(fault) }
        id = fault == nil ? session.provide(feed) : nil
    }

    /// In a fork, that everything has ended.
    var status: ProviderStatus { session.core.isForked ? Self.forked : feed.status }

    func send(_ samples: ProvidedSamples) {
        guard !session.core.isForked else { return }
        if feed.send(samples) { session.core.signal() }
    }

    func end() {
        guard let id, !session.core.isForked else { return }
        feed.finish()
        session.withdraw(id)
    }

    private static let forked: ProviderStatus = {
        let status = ProviderStatus()
        status.finish(.forked)
        return status
    }()
}
