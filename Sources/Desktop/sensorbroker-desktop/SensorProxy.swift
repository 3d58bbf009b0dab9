internal import BrokerClient

/// Decides what is announced to programs of the desktop, and what is subscribed to for them.
///
/// Claims and readings go in, replies and signals come out. It knows neither bus nor socket, and takes the time, of
/// CLOCK_BOOTTIME, as an argument.
///
/// A sensor is subscribed to only while somebody has claimed it. A claim is answered after the first reading, so that a program
/// that then reads a property gets one that was measured. Signals about values go to those who have claimed; that a sensor
/// came or went is announced to all.
struct SensorProxy: Sendable {
    /// The number by which the caller of these functions knows a method call.
    typealias CallNumber = Int

    /// What is to be done.
    enum Effect: Equatable, Sendable {
        /// Reply to a call.
        case answer(CallNumber)
        /// Reply to a call with an error.
        case refuse(CallNumber, Refusal)
        /// Announce that properties changed; nil: to everybody.
        case announce(BusObject, [Property], to: [String]?)
        /// Subscribe to what a sensor needs, and stay subscribed.
        case subscribe(DesktopSensor)
        /// End that subscription.
        case unsubscribe(DesktopSensor)
        /// Note who has claimed what, for the process after this one.
        case noteClaims
        /// Forget the programs that have called, since none has claimed anything: nothing of them is to wake us.
        case forgetPrograms
    }

    /// Why a call is refused.
    enum Refusal: Equatable, Sendable {
        /// The program, or its user, has claimed or called too much.
        case tooMany
        /// The user has no active session at a seat.
        case notPermitted
    }

    /// How long a claim waits for a reading, which comes within a second unless the host is very busy; callers wait 25 s.
    static let patienceNanoseconds: Int64 = 5_000_000_000
    /// How long the subscription stays after the last release, since the next claim often follows at once.
    static let lingerNanoseconds: Int64 = 500_000_000
    /// How long a program is remembered that calls, and claims nothing.
    static let memoryNanoseconds: Int64 = 2_000_000_000
    /// How long the broker may be away, as while it is upgraded, before its sensors count as gone.
    static let absenceNanoseconds: Int64 = 10_000_000_000
    /// How long the broker's first list may take: a program that started this one through the bus waits for it.
    static let startNanoseconds: Int64 = 2_000_000_000
    /// How many calls of a program for one sensor may wait.
    private static let mostWaiting = 4

    private struct State: Sendable {
        var claims = Claims()
        var waiting: [(call: CallNumber, sender: String, untilNanoseconds: Int64)] = []
        var isSubscribed = false
        /// Whether there was a reading since the subscription began.
        var isFresh = false
        /// Who has a claim from the process before, and may remember other values than this one begins with.
        var restored: [String] = []
        var endsNanoseconds: Int64?
    }

    private var states = PerSensor { _ in State() }
    private var properties = KnownProperties()
    private var allowances: [String: CallAllowance] = [:]
    /// When the programs are forgotten, if none has claimed anything by then.
    private var forgetsNanoseconds: Int64?
    private var effects: [Effect] = []
    private var claimsHaveChanged = false
    /// When the sensors count as gone; nil: the broker is there, or they do already.
    private var givesUpNanoseconds: Int64?
    private var isBrokerThere = false
    /// The names in the broker's newest list, and the sensors that are there by it.
    private var listed: Set<String> = []
    private var found: Set<DesktopSensor> = []
    /// Whether the sensors of the host are known; until then it is better to announce nothing.
    private(set) var isReady = false

    /// Nothing is known or claimed.
    init(now: Int64) { givesUpNanoseconds = now + Self.startNanoseconds }

    /// The value of a property by its name; nil if there is no such property.
    func value(of property: String) -> Property.Value? { properties.value(of: property) }

    /// What is to be done since this was last asked, in this order.
    mutating func takeEffects() -> [Effect] {
        defer { (effects, claimsHaveChanged) = ([], false) }
        // Once, and before anybody learns that a claim holds.
        return (claimsHaveChanged ? [.noteClaims] : []) + effects
    }

    /// Who has claimed what.
    var notes: ClaimNotes {
        var notes = ClaimNotes()
        for sensor in DesktopSensor.allCases {
            for sender in states[sensor].claims.senders { notes.claims[sender, default: []].append(sensor) }
        }
        return notes
    }

    // MARK: programs of the desktop

    /// Counts a call of a program; false if it makes too many, which is to be refused without further work.
    mutating func admits(_ sender: String, now: Int64) -> Bool {
        forgetsNanoseconds = now + Self.memoryNanoseconds
        return allowances[sender, default: CallAllowance(now: now)].take(now: now)
    }

    /// A program claims a sensor that its user may use.
    mutating func claim(_ sensor: DesktopSensor, by sender: String, of user: UInt32, _ call: CallNumber, now: Int64) {
        guard add(sender, of: user, to: sensor) else { return effects.append(.refuse(call, .tooMany)) }
        guard properties.present.contains(sensor), !states[sensor].isFresh else { return effects.append(.answer(call)) }
        guard states[sensor].waiting.count(where: { $0.sender == sender }) < Self.mostWaiting else {
            return effects.append(.refuse(call, .tooMany))
        }
        states[sensor].waiting.append((call, sender, now + Self.patienceNanoseconds))
    }

    /// A user's program had claimed a sensor when the process before this one ended, and is still there.
    mutating func restore(_ sensor: DesktopSensor, by sender: String, of user: UInt32) {
        if add(sender, of: user, to: sensor) { states[sensor].restored.append(sender) }
    }

    private mutating func add(_ sender: String, of user: UInt32, to sensor: DesktopSensor) -> Bool {
        let count = states[sensor].claims.senders.count
        guard states[sensor].claims.add(sender, of: user) else { return false }
        if states[sensor].claims.senders.count != count { claimsHaveChanged = true }
        states[sensor].endsNanoseconds = nil
        subscribe(sensor)
        return true
    }

    /// A program releases a sensor, whether it has claimed it or not.
    mutating func release(_ sensor: DesktopSensor, by sender: String, _ call: CallNumber, now: Int64) {
        forget(sender, sensor, now)
        effects.append(.answer(call))
    }

    /// A program has left the bus.
    mutating func forget(_ sender: String, now: Int64) {
        allowances[sender] = nil
        for sensor in DesktopSensor.allCases {
            states[sensor].waiting.removeAll { $0.sender == sender }
            forget(sender, sensor, now)
        }
    }

    /// The bus has ended, and with it all claims.
    mutating func forgetAll(now: Int64) {
        allowances = [:]
        for sensor in DesktopSensor.allCases {
            states[sensor].waiting = []
            for sender in states[sensor].claims.senders { forget(sender, sensor, now) }
        }
    }

    private mutating func forget(_ sender: String, _ sensor: DesktopSensor, _ now: Int64) {
        forgetsNanoseconds = now + Self.memoryNanoseconds
        if states[sensor].claims.remove(sender) { claimsHaveChanged = true }
        if states[sensor].claims.isEmpty, states[sensor].isSubscribed, states[sensor].endsNanoseconds == nil {
            states[sensor].endsNanoseconds = now + Self.lingerNanoseconds
        }
        // Its claims that still wait are answered: it is there, if it only released.
        for waiting in states[sensor].waiting where waiting.sender == sender { effects.append(.answer(waiting.call)) }
        states[sensor].waiting.removeAll { $0.sender == sender }
    }

    // MARK: the broker

    /// The broker's list of its resources, as it is now.
    ///
    /// A broker that was started anew may find a sensor later: that one is as long away as the broker may be.
    mutating func take(_ resources: [Resource], now: Int64) {
        if !isBrokerThere { givesUpNanoseconds = now + Self.absenceNanoseconds }
        (isReady, isBrokerThere) = (true, true)
        (listed, found) = (Set(resources.map(\.name)), [])
        for sensor in DesktopSensor.allCases {
            let resource = resources.first { $0.name == sensor.row.resource }
            if sensor == .light, let unit = resource?.channels.first?.unit { properties.noteLightUnit(unit) }
            let isFound = resource.map { !$0.hasGone } ?? false
            if isFound { found.insert(sensor) }
            if isFound || givesUpNanoseconds == nil { note(sensor, isPresent: isFound) }
            if !states[sensor].claims.isEmpty { subscribe(sensor) }
            if resource == nil, states[sensor].isSubscribed { unsubscribe(sensor) }
        }
        if properties.present.isSubset(of: found) { givesUpNanoseconds = nil }
    }

    /// What to subscribe to for a sensor: what there is of it.
    func requests(for sensor: DesktopSensor) -> [Request] {
        sensor.row.requests.filter { listed.contains($0.resource) }
    }

    private func isListed(_ sensor: DesktopSensor) -> Bool { listed.contains(sensor.row.resource) }

    /// The broker has gone; it may come back.
    mutating func brokerIsLost(now: Int64) {
        guard isBrokerThere else { return }
        isBrokerThere = false
        givesUpNanoseconds = now + Self.absenceNanoseconds
    }

    /// Readings of what a sensor needs, which the broker has sent at once.
    ///
    /// Like iio-sensor-proxy: what programs read after a claim is announced first, then what is beside it, and then
    /// claims are answered.
    mutating func take(_ readings: [Reading], for sensor: DesktopSensor) {
        guard states[sensor].isSubscribed else { return }
        let (first, beside) = (
            readings.filter { $0.resource == sensor.row.resource },
            readings.filter { $0.resource != sensor.row.resource }
        )
        for reading in first + beside {
            let changed = properties.take(reading, for: sensor)
            // Of a sensor that is not there yet, values are announced with its coming.
            guard !changed.isEmpty, !states[sensor].claims.isEmpty, properties.present.contains(sensor) else {
                continue
            }
            effects.append(.announce(sensor.row.object, changed, to: states[sensor].claims.senders))
        }
        guard !first.isEmpty else { return }
        announceRestored(sensor)
        states[sensor].isFresh = true
        answerWaiting(sensor)
    }

    /// States that came in order with the readings of a sensor: after `unavailable`, those before it hold no more.
    ///
    /// While the list shows that it is there, programs have them: the next reading is announced if it differs.
    mutating func note(_ changes: [Resource], of sensor: DesktopSensor) {
        guard !properties.present.contains(sensor) else { return }
        if changes.last(where: { $0.name == sensor.row.resource })?.hasGone == true { properties.forget(sensor) }
    }

    /// The first values that are measured, even if they are those with which this process began.
    private mutating func announceRestored(_ sensor: DesktopSensor) {
        let restored = states[sensor].restored.filter(states[sensor].claims.senders.contains)
        states[sensor].restored = []
        guard !restored.isEmpty else { return }
        effects.append(.announce(sensor.row.object, properties.all(of: sensor), to: restored))
    }

    /// The subscription of a sensor is interrupted, and is being renewed.
    mutating func isInterrupted(_ sensor: DesktopSensor) { states[sensor].isFresh = false }

    /// The broker refuses the subscription of a sensor: nothing comes.
    mutating func isRefused(_ sensor: DesktopSensor) { answerWaiting(sensor) }

    private mutating func note(_ sensor: DesktopSensor, isPresent: Bool) {
        let changed = properties.note(sensor, isPresent: isPresent)
        guard !changed.isEmpty else { return }
        effects.append(.announce(sensor.row.object, changed, to: nil))
        if !isPresent {
            states[sensor].isFresh = false
            answerWaiting(sensor)
        }
    }

    private mutating func subscribe(_ sensor: DesktopSensor) {
        guard isListed(sensor), !states[sensor].isSubscribed else { return }
        states[sensor].isSubscribed = true
        effects.append(.subscribe(sensor))
    }

    private mutating func unsubscribe(_ sensor: DesktopSensor) {
        states[sensor].endsNanoseconds = nil
        (states[sensor].isSubscribed, states[sensor].isFresh) = (false, false)
        effects.append(.unsubscribe(sensor))
    }

    private mutating func answerWaiting(_ sensor: DesktopSensor) {
        effects += states[sensor].waiting.map { .answer($0.call) }
        states[sensor].waiting = []
    }

    // MARK: time

    /// When `expire` has something to do; nil: never, if nothing else happens.
    var deadlineNanoseconds: Int64? {
        var next = givesUpNanoseconds ?? .max
        for state in states.all {
            // They wait in the order in which they came, each for the same time.
            next = min(next, state.endsNanoseconds ?? .max, state.waiting.first?.untilNanoseconds ?? .max)
        }
        if !hasClaims { next = min(next, forgetsNanoseconds ?? .max) }
        return next == .max ? nil : next
    }

    private var hasClaims: Bool { states.all.contains { !$0.claims.isEmpty } }

    /// Does what is due.
    mutating func expire(now: Int64) {
        if let instant = givesUpNanoseconds, now >= instant {
            isReady = true
            givesUpNanoseconds = nil
            for sensor in DesktopSensor.allCases where !(isBrokerThere && found.contains(sensor)) {
                note(sensor, isPresent: false)
            }
        }
        if let instant = forgetsNanoseconds, now >= instant, !hasClaims {
            forgetsNanoseconds = nil
            allowances = [:]
            effects.append(.forgetPrograms)
        }
        for sensor in DesktopSensor.allCases {
            for waiting in states[sensor].waiting where now >= waiting.untilNanoseconds {
                effects.append(.answer(waiting.call))
            }
            states[sensor].waiting.removeAll { now >= $0.untilNanoseconds }
            if let instant = states[sensor].endsNanoseconds, now >= instant { unsubscribe(sensor) }
        }
    }
}

extension Resource {
    /// Whether there is no sensor any more, for the desktop.
    fileprivate var hasGone: Bool { state == "unavailable" || state == "released" }
}
