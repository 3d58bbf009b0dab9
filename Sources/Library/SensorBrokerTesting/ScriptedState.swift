internal import SensorServices

/// An iteration of a scripted sensor; its mailbox is kept alive by whoever iterates.
struct ScriptedListener<Value: Measurable>: Sendable {
    weak let mailbox: Mailbox<EventBuffer<Value>>?
    private var distance = DistanceFilter()

    init(_ mailbox: Mailbox<EventBuffer<Value>>) { self.mailbox = mailbox }

    /// Passes an event on, unless the settings leave its reading out.
    mutating func put(_ event: SensorEvent<Value>, _ state: borrowing ScriptedState<Value>) {
        if case .reading(let reading) = event {
            guard state.accuracy.accepts(reading.value),
                distance.accepts(reading.value, meters: state.minimumChange)
            else { return }
        }
        mailbox?.put(event)
    }
}

/// A request for one reading that waits.
struct ScriptedRequest<Value: Measurable>: Sendable {
    let answer: ScriptedState<Value>.Answer
    /// The most accurate reading that came and was not accurate enough.
    var best: Reading<Value>?

    /// Keeps the more accurate of two readings, the newer one of equal ones.
    mutating func consider(_ reading: Reading<Value>) {
        func inaccuracy(_ reading: Reading<Value>) -> Double { (reading.value as? Location)?.inaccuracy ?? .infinity }
        if inaccuracy(reading) <= best.map(inaccuracy) ?? .infinity { best = reading }
    }
}

/// What a scripted sensor has played, and what waits for it.
struct ScriptedState<Value: Measurable>: Sendable {
    typealias Answer = @Sendable (Result<Reading<Value>, SensorError>) -> Void

    private(set) var request: SensorRequest
    /// That of the last valid request.
    private(set) var minimumChange: Double?
    private(set) var accuracy = AccuracyFilter()
    var maximumAge: Duration?
    var isUpdating = false
    private(set) var resourceState: ResourceState?
    var played: [SensorEvent<Value>] = []
    var length = 0
    var latest: Reading<Value>?
    var failure: SensorError?
    private(set) var intervals: [Duration?] = []
    var listeners: [ScriptedListener<Value>] = []
    var requests: [Int: ScriptedRequest<Value>] = [:]
    var lastRequest = 0
    private var sequence: Int64 = 0
    private var newest = BootTime(nanoseconds: 0)
    /// Whether the broker has gone since the newest reading, and no gap has said so.
    private var isAway = false

    init(_ request: SensorRequest) { self.request = request }

    /// Why new iterations end at once; nil if they do not.
    var fault: SensorError? { request.fault ?? accuracy.fault }

    /// Why nobody need wait for a reading at present; nil: one may come.
    func absence(of resource: ResourceName) -> SensorError? {
        switch resourceState {
        case .unavailable(let reason): .resourceUnavailable(resource, reason: reason)
        case .released: .resourceUnavailable(resource, reason: "released by the administrator")
        default: nil
        }
    }

    /// Changes the request; an invalid one is refused in running iterations.
    mutating func set(_ request: SensorRequest) {
        if request.interval != self.request.interval { intervals.append(request.interval) }
        self.request = request
        if let fault = request.fault { send(.refused(fault)) } else { minimumChange = request.minimumChange }
    }

    /// Sets the largest acceptable error; an impossible one is refused in running iterations.
    mutating func setAccuracy(_ meters: Double?) {
        if let fault = accuracy.set(meters) { send(.refused(fault)) }
    }

    /// Plays a step; returns answers to requests, to be delivered without the lock.
    mutating func perform(
        _ step: ScriptedStep<Value>, of resource: ResourceName, at instant: BootTime, by clock: ReadingClock
    ) -> [@Sendable () -> Void] {
        switch step {
        case .reading(let value):
            if isAway { putGap(.disconnected, nil, resource, instant) }
            var reading = Reading(value, of: resource, at: instant, sequence: sequence)
            reading.clock = clock
            sequence += 1
            (latest, newest) = (reading, instant)
            resourceState = .active
            put(.reading(reading))
            guard accuracy.accepts(value) else {
                for id in requests.keys { requests[id]?.consider(reading) }
                return []
            }
            return takeRequests(.success(reading))
        case .gap(let cause, let count): putGap(cause, count, resource, instant)
        case .state(let state): put(state)
        case .lose(let reason):
            putGap(.deviceLost, nil, resource, instant)
            put(.unavailable(reason: reason))
        case .recover: put(.active)
        case .disconnect(let error):
            isAway = sequence > 0
            resourceState = .stale(reason: "\(error)")
            put(.disconnected(error))
        case .fail(let error):
            failure = error
            for listener in listeners { listener.mailbox?.finish(error) }
            return takeRequests(.failure(error))
        case .wait, .readings: break
        }
        return absence(of: resource).map { takeRequests(.failure($0)) } ?? []
    }

    private mutating func put(_ event: SensorEvent<Value>) {
        guard failure == nil else { return }
        played.append(event)
        send(event)
    }

    /// Sends to the running iterations only.
    private mutating func send(_ event: SensorEvent<Value>) {
        listeners.removeAll { $0.mailbox == nil }
        var receivers = listeners
        for index in receivers.indices { receivers[index].put(event, self) }
        listeners = receivers
    }

    private mutating func put(_ state: ResourceState) {
        resourceState = state
        switch state {
        case .unavailable, .released: latest = nil
        default: break
        }
        put(.state(state))
    }

    private mutating func putGap(_ cause: Gap.Cause, _ count: Int?, _ resource: ResourceName, _ instant: BootTime) {
        isAway = false
        put(.gap(Gap(resource: resource, cause: cause, count: count, from: newest, until: instant)))
    }

    private mutating func takeRequests(
        _ result: Result<Reading<Value>, SensorError>
    ) -> [@Sendable () -> Void] {
        defer { requests = [:] }
        return requests.values.map { request in { request.answer(result) } }
    }
}
