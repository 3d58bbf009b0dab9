/// What happens to a provider.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ProviderEvent: Hashable, Codable, Sendable {
    /// Clients want this from here on.
    case demand(SensorDemand)
    /// Clients do not get so many of the samples; why the last of them was refused, for people to read.
    case refused(count: Int, reason: String)
    /// Nothing is provided, for this reason; that is tried again until a demand shows that it is.
    case disconnected(SensorError)
}

extension ProviderEvent: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .demand(let demand): "wanted: \(demand)"
        case .refused(let count, let reason): "\(count) \(count == 1 ? "sample" : "samples") refused: \(reason)"
        case .disconnected(let error): "disconnected: \(error)"
        }
    }
}

/// What comes into a mailbox, in order, until that ends.
struct ProviderEvents: AsyncSequence, Sendable {
    typealias Element = ProviderEvent
    typealias Failure = SensorError

    let listen: @Sendable () -> Mailbox<ProviderBuffer>

    func makeAsyncIterator() -> Iterator { Iterator(mailbox: listen()) }

    /// One iteration; it listens as long as it lives.
    struct Iterator: AsyncIteratorProtocol, Sendable {
        let mailbox: Mailbox<ProviderBuffer>
        private var hasFailed = false

        init(mailbox: Mailbox<ProviderBuffer>) { self.mailbox = mailbox }

        mutating func next() async throws(SensorError) -> ProviderEvent? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(SensorError) -> ProviderEvent? {
            if hasFailed { return nil }
            do throws(SensorError) { return try await mailbox.next(isolation: actor) } catch {
                hasFailed = true
                throw error
            }
        }
    }
}

/// The demands among the events, each change once; a refusal ends it.
struct ProviderDemands: AsyncSequence, Sendable {
    typealias Element = SensorDemand
    typealias Failure = SensorError

    let events: ProviderEvents

    func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

    /// One iteration; it listens as long as it lives.
    struct Iterator: AsyncIteratorProtocol, Sendable {
        var events: ProviderEvents.Iterator
        private var last: SensorDemand?
        private var hasFailed = false

        init(events: ProviderEvents.Iterator) { self.events = events }

        mutating func next() async throws(SensorError) -> SensorDemand? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(SensorError) -> SensorDemand? {
            while !hasFailed, let event = try await events.next(isolation: actor) {
                switch event {
                case .demand(let demand) where demand != last:
                    last = demand
                    return demand
                case .disconnected(let error) where error.isRefusal:
                    hasFailed = true
                    throw error
                case .demand, .disconnected, .refused: break
                }
            }
            return nil
        }
    }
}

/// Room for an event of each kind: a newer one takes its place, at the end; refused samples are added up.
struct ProviderBuffer: BoundedBuffer {
    private var events: [ProviderEvent] = []

    mutating func append(_ element: ProviderEvent) {
        guard let index = events.firstIndex(where: { $0.isOfSameKind(as: element) }) else {
            return events.append(element)
        }
        let former = events.remove(at: index)
        guard case .refused(let more, _) = former, case .refused(let count, let reason) = element else {
            return events.append(element)
        }
        let (sum, overflow) = count.addingReportingOverflow(more)
        events.append(.refused(count: overflow ? .max : sum, reason: reason))
        assert(events.count <= 3, "there is one event of each kind")
    }

    mutating func popFirst() -> ProviderEvent? { events.isEmpty ? nil : events.removeFirst() }
}

extension ProviderEvent {
    fileprivate func isOfSameKind(as other: Self) -> Bool {
        switch (self, other) {
        case (.demand, .demand), (.refused, .refused), (.disconnected, .disconnected): true
        default: false
        }
    }
}
