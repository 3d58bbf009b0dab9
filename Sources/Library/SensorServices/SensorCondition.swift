/// Something about what a sensor measures that may be so or not: inside a circle, darker than a limit, upside down.
public protocol SensorCondition<Value>: Sendable {
    /// What is measured.
    associatedtype Value: Sendable

    /// Whether a value satisfies it; nil if the value does not show it: then what was known before still counts.
    func isSatisfied(by value: Value) -> Bool?

    /// By how much the value must change before the answer can be another one, as ``SensorRequest/minimumChange`` counts changes;
    /// nil: by anything.
    func margin(at value: Value) -> Double?
}

extension SensorCondition {
    /// Nil: any change may matter.
    public func margin(at value: Value) -> Double? { nil }
}

/// A condition of your own: `ValueCondition<Illuminance> { $0.lux < 10 }`.
public struct ValueCondition<Value: Sendable>: SensorCondition {
    private let test: @Sendable (Value) -> Bool?

    /// Creates a condition that a closure decides; nil from it means that the value does not show it.
    public init(_ test: @escaping @Sendable (Value) -> Bool?) { self.test = test }

    /// What the closure returns for the value.
    public func isSatisfied(by value: Value) -> Bool? { test(value) }
}

/// A circle on the ground, in which a location is or is not.
public struct CircularCondition: SensorCondition, Hashable, Codable {
    /// The circle's centre.
    public var center: Coordinate
    /// How far it reaches, in metres.
    public var radiusMeters: Double

    /// Creates a circle around a point.
    public init(center: Coordinate, radiusMeters: Double) {
        self.center = center
        self.radiusMeters = radiusMeters
    }

    /// Whether a location is inside; nil if it is unknown, or closer to the edge than its error.
    public func isSatisfied(by location: Location) -> Bool? {
        guard let beyond = beyond(location), abs(beyond) > location.horizontalErrorMeters ?? 0 else { return nil }
        return beyond < 0
    }

    /// How far a location is from the edge, less its error.
    public func margin(at location: Location) -> Double? {
        beyond(location).map { max(0, abs($0) - (location.horizontalErrorMeters ?? 0)) }
    }

    /// How far a location is outside; negative inside.
    private func beyond(_ location: Location) -> Double? {
        location.coordinate.map { $0.distance(to: center) - radiusMeters }
    }
}

/// What has become known of a condition.
public struct ConditionEvent<Value: Sendable>: Sendable {
    /// The name of the condition.
    public var name: String
    /// Whether it is satisfied; nil: that is no longer known, because the sensor or the broker is away.
    public var isSatisfied: Bool?
    /// The reading that shows it.
    public var reading: Reading<Value>?

    /// Creates an event, for a double of what reports it.
    public init(name: String, isSatisfied: Bool?, reading: Reading<Value>? = nil) {
        self.name = name
        self.isSatisfied = isSatisfied
        self.reading = reading
    }
}

/// What is known of some conditions, and each change of that.
public struct ConditionEvents<Value: Sendable>: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ConditionEvent<Value>
    /// Why it ends.
    public typealias Failure = SensorError

    fileprivate let events: SensorEvents<Value>
    fileprivate let watch: ConditionWatch<Value>
    fileprivate let setMinimumChange: @Sendable (Double?) -> Void

    /// Starts to listen.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events: events.makeAsyncIterator(), watch: watch, setMinimumChange: setMinimumChange)
    }

    /// One iteration; it listens as long as it lives.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate var events: SensorEvents<Value>.Iterator
        fileprivate var watch: ConditionWatch<Value>
        fileprivate let setMinimumChange: @Sendable (Double?) -> Void
        private var waiting: [ConditionEvent<Value>] = []

        /// The next event; nil if the task was cancelled.
        public mutating func next() async throws(SensorError) -> ConditionEvent<Value>? {
            try await next(isolation: nil)
        }

        /// The next event; nil if the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SensorError) -> ConditionEvent<Value>? {
            while waiting.isEmpty {
                guard let event = try await events.next(isolation: actor) else { return nil }
                let former = watch.minimumChange
                waiting = watch.take(event)
                if watch.minimumChange != former { setMinimumChange(watch.minimumChange) }
            }
            return waiting.removeFirst()
        }

        fileprivate init(
            events: SensorEvents<Value>.Iterator, watch: ConditionWatch<Value>,
            setMinimumChange: @escaping @Sendable (Double?) -> Void
        ) {
            self.events = events
            self.watch = watch
            self.setMinimumChange = setMinimumChange
        }
    }
}

extension SensorService where Self: Sendable {
    /// Watches conditions, by their names: reports what is known of each, and each change of that.
    ///
    /// The watch sets the request's minimum change as it goes, so that only readings come that may matter: far from a
    /// circle's edge there are few. So give it a sensor of its own, which costs nothing.
    public func conditions(_ conditions: [String: any SensorCondition<Value>]) -> ConditionEvents<Value> {
        ConditionEvents(events: events, watch: ConditionWatch(conditions)) { [self] change in
            mutateRequest { $0.minimumChange = change }
        }
    }
}

/// What is known of some conditions, event by event.
struct ConditionWatch<Value: Sendable>: Sendable {
    private let conditions: [(name: String, condition: any SensorCondition<Value>)]
    private var known: [String: Bool] = [:]
    /// The smallest change that may matter; nil: any.
    private(set) var minimumChange: Double?

    init(_ conditions: [String: any SensorCondition<Value>]) {
        self.conditions = conditions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Takes an event; returns what it changes.
    mutating func take(_ event: SensorEvent<Value>) -> [ConditionEvent<Value>] {
        switch event {
        case .reading(let reading): return take(reading)
        case .state(.unavailable), .state(.released), .disconnected:
            defer { known = [:] }
            // The next reading is to come even if nothing has moved.
            minimumChange = nil
            return known.keys.sorted().map { ConditionEvent(name: $0, isSatisfied: nil) }
        case .state, .gap, .grant, .refused: return []
        }
    }

    private mutating func take(_ reading: Reading<Value>) -> [ConditionEvent<Value>] {
        let margins = conditions.map { $0.condition.margin(at: reading.value) }
        let least = margins.contains(nil) ? nil : margins.compactMap(\.self).min()
        // Half of the way, since the next reading comes after that; a power of two, so that the request changes seldom.
        minimumChange = least.flatMap { $0 > 0 && $0.isFinite ? ($0 / 2).binade : nil }
        return conditions.compactMap { name, condition in
            guard let isSatisfied = condition.isSatisfied(by: reading.value), known[name] != isSatisfied else {
                return nil
            }
            known[name] = isSatisfied
            return ConditionEvent(name: name, isSatisfied: isSatisfied, reading: reading)
        }
    }
}
