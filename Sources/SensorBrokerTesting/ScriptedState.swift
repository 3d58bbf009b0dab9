internal import SensorBroker

/// A mailbox, which its iteration keeps alive.
struct WeakMailbox<Value: Measurable>: Sendable {
    weak let mailbox: Mailbox<EventBuffer<Value>>?
}

/// What a scripted sensor has played, and what waits for it.
struct ScriptedState<Value: Measurable>: Sendable {
    typealias Answer = @Sendable (Result<Reading<Value>, SensorError>) -> Void

    var played: [SensorEvent<Value>] = []
    var length = 0
    var latest: Reading<Value>?
    var failure: SensorError?
    var intervals: [Duration?] = []
    var desiredAccuracy: Double?
    var distanceFilter: Double?
    var mailboxes: [WeakMailbox<Value>] = []
    var requests: [Int: Answer] = [:]
    var lastRequest = 0
    /// Callers that wait until so many requests are pending.
    var watchers: [(count: Int, resume: @Sendable () -> Void)] = []
    private var sequence: Int64 = 0
    private var newest = BootTime(nanoseconds: 0)

    /// Plays a step; returns answers to requests, to be delivered without the lock.
    mutating func perform(
        _ step: ScriptedStep<Value>, of resource: ResourceName, at instant: BootTime
    ) -> [@Sendable () -> Void] {
        switch step {
        case .reading(let value):
            let reading = Reading(value, of: resource, at: instant, sequence: sequence)
            sequence += 1
            (latest, newest) = (reading, instant)
            put(.reading(reading))
            return takeRequests(.success(reading))
        case .gap(let cause, let count): putGap(cause, count, resource, instant)
        case .state(let state): put(state)
        case .lose(let reason):
            putGap(.deviceLost, nil, resource, instant)
            put(.unavailable(reason: reason))
            return takeRequests(.failure(.resourceUnavailable(resource, reason: reason)))
        case .recover: put(.active)
        case .disconnect(let error): put(.disconnected(error))
        case .fail(let error):
            failure = error
            for weak in mailboxes { weak.mailbox?.finish(error) }
            return takeRequests(.failure(error))
        case .wait, .readings: break
        }
        return []
    }

    private mutating func put(_ event: SensorEvent<Value>) {
        guard failure == nil else { return }
        played.append(event)
        mailboxes.removeAll { $0.mailbox == nil }
        for weak in mailboxes { weak.mailbox?.put(event) }
    }

    private mutating func put(_ state: ResourceState) {
        switch state {
        case .unavailable, .released: latest = nil
        default: break
        }
        put(.state(state))
    }

    private mutating func putGap(_ cause: Gap.Cause, _ count: Int?, _ resource: ResourceName, _ instant: BootTime) {
        put(.gap(Gap(resource: resource, cause: cause, count: count, from: newest, until: instant)))
    }

    private mutating func takeRequests(
        _ result: Result<Reading<Value>, SensorError>
    ) -> [@Sendable () -> Void] {
        defer { requests = [:] }
        return requests.values.map { answer in { answer(result) } }
    }
}
