internal import Locking
public import SensorServices

/// What a provider's samples would reach: a test decides what clients want, and sees what they would get.
///
///     let clients = ScriptedClients()
///     let driver = ArmDriver(port, provider: clients.provide(Acceleration.self))
///     clients.want(.nobody)
///     #expect(clients.readings(Acceleration.self).map(\.value.z) == [9.81])
public final class ScriptedClients: Sendable {
    /// The clock by which samples are stamped that come without a time.
    public let time: VirtualTime

    private let links = Locked<[ScriptedLink]>([])
    private let demand: Locked<SensorDemand>
    private let received = PendingCount()

    /// Creates clients that want samples as the provider likes, unless a test sets another demand.
    public init(time: VirtualTime = VirtualTime(), wanting demand: SensorDemand = .samples(every: nil, latency: .zero))
    {
        self.time = time
        self.demand = Locked(demand)
    }

    /// Creates a provider whose samples these clients get; resources that are not named are the first of their kinds.
    public func provide<each Value: Providable>(
        _ values: repeat (each Value).Type, named names: String...
    ) -> SensorProvider<repeat each Value> {
        var types: [any Providable.Type] = []
        repeat types.append(each values)
        let resources = ProvidedResources(types, named: names)
        let link = ScriptedLink(resources.names, by: time, received)
        if let fault = resources.fault { link.fail(fault) }
        link.status.take(.demand(demand.withLock { $0 }))
        links.withLock { $0.append(link) }
        return SensorProvider(resources.names, link)
    }

    /// Changes what the clients want; while that is nobody, samples are dropped.
    public func want(_ demand: SensorDemand) {
        self.demand.withLock { $0 = demand }
        for link in links.withLock({ $0 }) {
            link.status.markProvided()
            link.status.take(.demand(demand))
        }
    }

    /// Refuses so many samples, as the providers see it; what they have sent is not changed.
    public func refuse(_ count: Int, reason: String) {
        for link in links.withLock({ $0 }) { link.status.take(.refused(count: count, reason: reason)) }
    }

    /// Interrupts the providers, such as by ``/SensorServices/SensorError/nameTaken(_:holder:)``, until something is wanted again.
    public func disconnect(_ error: SensorError) {
        for link in links.withLock({ $0 }) { link.status.take(.disconnected(error)) }
    }

    /// What was received of a resource, oldest first; without a name, of the first one that measures such values.
    public func readings<Value: Providable>(
        _ value: Value.Type, of resource: ResourceName = Value.firstResource
    ) -> [Reading<Value>] {
        links.withLock { $0 }.flatMap { $0.readings(of: resource) }
    }

    /// Waits until so many samples of each resource have come; returns as well when its own task is cancelled.
    public func untilReceived(_ count: Int) async { await received.reach(count) }

    /// Whether a resource is provided: its provider has neither ended nor been interrupted.
    public func isProvided(_ resource: ResourceName) -> Bool {
        links.withLock { $0 }.contains { $0.isProvided && $0.names.contains(resource) }
    }
}

/// The end of a provider's link in a test.
private final class ScriptedLink: ProviderLink {
    private struct State {
        var samples: [(time: BootTime, measurements: ArraySlice<Measurement>)] = []
        var isOpen = true
    }

    let status = ProviderStatus()
    let names: [ResourceName]
    private let time: VirtualTime
    private let received: PendingCount
    private let state = Locked(State())

    init(_ names: [ResourceName], by time: VirtualTime, _ received: PendingCount) {
        self.names = names
        self.time = time
        self.received = received
    }

    var isProvided: Bool { status.error == nil && state.withLock { $0.isOpen } }

    func send(_ samples: ProvidedSamples) {
        guard status.error == nil else {
            return status.take(.refused(count: samples.count, reason: "the broker is away"))
        }
        let times = samples.times ?? [time.now]
        let count = state.withLock { state in
            guard state.isOpen else { return 0 }
            for (row, time) in times.enumerated() {
                let measurements = samples.measurements[(row * names.count)..<((row + 1) * names.count)]
                state.samples.append((time, measurements))
            }
            return times.count
        }
        received.change(by: count)
    }

    func end() { state.withLock { $0.isOpen = false } }

    func fail(_ error: SensorError) {
        end()
        status.finish(error)
    }

    func readings<Value: Providable>(of resource: ResourceName) -> [Reading<Value>] {
        guard let column = names.firstIndex(of: resource) else { return [] }
        return state.withLock { $0.samples }.compactMap { time, measurements in
            Value(measurements[measurements.startIndex + column]).map { Reading($0, of: resource, at: time) }
        }
    }
}
