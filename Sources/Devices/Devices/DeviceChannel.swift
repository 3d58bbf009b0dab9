public import Platform
public import Readings
internal import Synchronization

/// What a device thread and the loop share: a bounded queue to the loop, and a mailbox to the thread.
///
/// Each side is woken through a descriptor of its own. Neither ever waits for the other: the lock is held only for a
/// copy or a swap. The arrays are passed back and forth between the two sides, so that single samples allocate
/// nothing once they have grown.
public final class DeviceChannel: Sendable {
    /// How many samples and other events the loop may leave unread: eight seconds of a 4 kHz device, 33 ms of one at 1 MHz.
    public static let defaultCapacity = 32_768

    private struct State {
        var queue: DeviceQueue
        var commands = DeviceCommands()
        /// Whether the thread does not know all of them yet.
        var hasCommands = true
        var counters = DeviceCounters()
        /// The last release after which the device was closed.
        var releaseDone = 0
        var isStopped = false
        /// Whether the loop has been woken since it last took the events.
        var isSignalled = false
        /// Which samples the loop need not be woken for; nil: it is woken for each.
        var isIndifferent: (@Sendable (Measurement) -> Bool)? { didSet { quietEvents = 0 } }
        /// Set with each event for which the loop was not woken.
        var quietFlag: LoopFlag?
        /// What takes the events instead of the loop.
        var standIn: StandIn?
        /// How many of the first events are such samples.
        private var quietEvents = 0
        /// When the last of them came.
        private var quietNanoseconds: Int64 = 0

        /// When the last event came for which the loop was not woken; nil: there is none.
        var newestQuiet: BootTime? { quietEvents > 0 && !isSignalled ? BootTime(nanoseconds: quietNanoseconds) : nil }

        init(queue: DeviceQueue) { self.queue = queue }

        /// Whether the loop must be woken now: not if there are only samples that it need not be woken for.
        mutating func takeWakeUp(now: @autoclosure () -> Int64) -> Bool {
            let events = queue.events
            guard !isSignalled, !events.isEmpty else { return false }
            if let isIndifferent, events.count <= mostQuietEvents,
                events.dropFirst(quietEvents).allSatisfy({ $0.isQuiet(isIndifferent) })
            {
                (quietEvents, quietNanoseconds) = (events.count, now())
                quietFlag?.set()
                return false
            }
            isSignalled = true
            return true
        }

        mutating func take(into events: inout [DeviceEvent]) {
            queue.swapOut(&events)
            (isSignalled, quietEvents) = (false, 0)
        }
    }

    /// A closure in a structure: by itself it would be wrapped anew each time that it leaves the lock.
    private struct StandIn: Sendable {
        /// Whether it has taken the events; else the loop must be woken.
        let takesEvents: @Sendable () -> Bool
    }

    /// How many samples may wait for something else to wake the loop; no more of a run, whose samples are judged one by one.
    fileprivate static let mostQuietEvents = 64

    private let state: Locked<State>
    /// On CLOCK_MONOTONIC, which stands still while the host sleeps; 0 while the thread waits.
    private let workingSince = Atomic<Int64>(0)
    private let loopWake: WakeEvent
    private let threadWake: WakeEvent
    private let stopped: WakeEvent

    /// What a sender in the loop itself sets when there are events; nil: the loop sleeps while they come, and is woken.
    private let flag: LoopFlag?
    private let clock: @Sendable () -> Int64

    /// A channel that has no thread yet; throws if the process is out of descriptors. `eventfd(2)`
    ///
    /// One with a flag is for a sender in a turn of the loop, which is not woken for them.
    public convenience init(capacity: Int = defaultCapacity, flag: LoopFlag? = nil) throws(SystemError) {
        try self.init(capacity: capacity, flag: flag) { Clock.bootNanoseconds() }
    }

    /// The same, with a clock that tests choose.
    package init(
        capacity: Int = defaultCapacity, flag: LoopFlag? = nil, clock: @escaping @Sendable () -> Int64
    ) throws(SystemError) {
        (self.flag, self.clock) = (flag, clock)
        loopWake = try WakeEvent()
        threadWake = try WakeEvent()
        stopped = try WakeEvent()
        state = Locked(State(queue: DeviceQueue(capacity: capacity)))
    }

    // MARK: The loop's side

    /// Readable when there are events to take; for epoll.
    public var wakeDescriptor: Int32 { loopWake.descriptor }

    /// Counters of the device's life so far.
    public var counters: DeviceCounters { state.withLock { $0.counters } }

    /// How long the thread has been working without a pause, inside its driver or in a turn of the loop; nil while it waits.
    public var workingNanoseconds: Int64? {
        let since = workingSince.load(ordering: .relaxed)
        return since == 0 ? nil : max(0, Clock.monotonicNanoseconds() - since)
    }

    /// Replaces the content of the array with the events that have arrived, in order; the array's storage is reused for
    /// later events.
    ///
    /// `isSignalled`: the loop has been woken, and its wake-up event must be cleared.
    public func take(into events: inout [DeviceEvent], isSignalled: Bool = true) {
        // Cleared first: an event that arrives in between sets it again.
        if isSignalled { loopWake.clear() }
        state.withLock { $0.take(into: &events) }
    }

    /// Whether there are events that the loop is to take at once.
    public var hasEvents: Bool { state.withLock { $0.isSignalled } }

    /// When the newest of the events came that the loop was not woken for; nil: there are none to take.
    public var newestQuiet: BootTime? { state.withLock { $0.newestQuiet } }

    /// Sets which samples nobody needs at present: the loop is not woken for them, and takes them when it is awake
    /// (`newestQuiet`); nil: it is woken for every event.
    ///
    /// What has come in the meantime is judged by this as well, so no sample is left that matters.
    /// The flag is set with each event for which the loop is not woken.
    package func setIndifference(_ isIndifferent: (@Sendable (Measurement) -> Bool)?, flag: LoopFlag? = nil) {
        let mustWake = state.withLock {
            ($0.isIndifferent, $0.quietFlag) = (isIndifferent, flag)
            return $0.takeWakeUp(now: clock())
        }
        if mustWake { wakeLoop() }
    }

    /// Gives the device's thread something to do that takes the events without waking the loop; it returns false if the
    /// loop must be woken all the same.
    public func setStandIn(_ takesEvents: @escaping @Sendable () -> Bool) {
        state.withLock { $0.standIn = StandIn(takesEvents: takesEvents) }
    }

    /// Sends the thread the combined demand of all subscribers; nil if nobody asks.
    public func setDemand(_ demand: Demand?) {
        command {
            if demand == nil, $0.demand != nil { $0.requests.insert(.lapse) }
            $0.demand = demand
        }
    }

    /// Asks the thread to do something, once.
    public func request(_ requests: DeviceRequests) { command { $0.requests.formUnion(requests) } }

    /// Asks the thread to close the device and keep it closed until it is given back.
    public func setReleased(_ released: Bool) {
        command {
            if released, !$0.isReleased { $0.releases += 1 }
            $0.isReleased = released
        }
    }

    /// Whether the device is released and closed, so that another program can have it; the loop is woken when this
    /// becomes true.
    ///
    /// The state does not show this: a state still in the queue may belong to an earlier release.
    public var isLetGo: Bool { state.withLock { $0.commands.isReleased && $0.releaseDone == $0.commands.releases } }

    /// Keeps the device open for this long after the last subscriber has gone.
    public func setWarmGrace(nanoseconds: Int64) { command { $0.warmGraceNanoseconds = nanoseconds } }

    /// Waits until the thread has closed its device; false if that takes too long.
    ///
    /// A thread that does not end hangs in its driver; it can be left behind when the process ends.
    public func waitUntilStopped(nanoseconds: Int64) -> Bool {
        let deadline = Clock.monotonicNanoseconds() &+ max(0, nanoseconds)
        while true {
            if state.withLock({ $0.isStopped }) { return true }
            let left = deadline &- Clock.monotonicNanoseconds()
            guard left > 0 else { return false }
            _ = Wait.untilReadable(stopped.descriptor, nanoseconds: left)
        }
    }

    // Commands are few and waking a thread is slow: only a change wakes it.
    private func command(_ change: (inout DeviceCommands) -> Void) {
        let isChange = state.withLock { state in
            let former = state.commands
            change(&state.commands)
            guard state.commands != former else { return false }
            state.hasCommands = true
            return true
        }
        if isChange { threadWake.signal() }
    }

    // MARK: The thread's side

    /// Hands over the events of a read, and empties the intake.
    public func send(_ intake: inout Intake) {
        // What it refused without an event has been counted.
        guard !intake.events.isEmpty else { return intake.removeAll() }
        enqueue { queue in intake.empty { queue.take(&$0) } }
    }

    /// Hands over one event.
    public func send(_ event: DeviceEvent) { enqueue { $0.append(event) } }

    /// The thread starts to work, or continues after a part of the work.
    func work() { workingSince.store(max(1, Clock.monotonicNanoseconds()), ordering: .relaxed) }

    /// The thread waits for something to do.
    func rest() { workingSince.store(0, ordering: .relaxed) }

    /// Readable when there are commands to take.
    package var commandDescriptor: Int32 { threadWake.descriptor }

    /// The commands in force now; nil: they are those that were taken last.
    ///
    /// `isSignalled`: the wake-up event is set and must be cleared.
    func takeNewCommands(isSignalled: Bool) -> DeviceCommands? {
        if isSignalled { threadWake.clear() }
        return state.withLock {
            guard $0.hasCommands else { return nil }
            $0.hasCommands = false
            let commands = $0.commands
            $0.commands.requests.formIntersection(.stop)
            return commands
        }
    }

    /// The commands in force now, whether they have been taken before or not: for tests, which follow no thread.
    var commands: DeviceCommands { state.withLock { $0.commands } }

    /// The device is closed for this release.
    func confirmRelease(_ release: Int) {
        let isChange = state.withLock { state in
            defer { state.releaseDone = release }
            return state.releaseDone != release
        }
        if isChange { loopWake.signal() }
    }

    func publish(_ counters: DeviceCounters) { state.withLock { $0.counters = counters } }

    func markStopped() {
        state.withLock { $0.isStopped = true }
        stopped.signal()
    }

    // The loop takes all events at once, so waking it once for each emptying is enough.
    private func enqueue(_ append: (inout DeviceQueue) -> Void) {
        let (mustWake, standIn) = state.withLock {
            append(&$0.queue)
            return $0.takeWakeUp(now: clock()) ? (true, $0.standIn) : (false, nil)
        }
        guard mustWake, standIn?.takesEvents() != true else { return }
        wakeLoop()
    }

    private func wakeLoop() { if let flag { flag.set() } else { loopWake.signal() } }
}

extension DeviceEvent {
    /// Whether it consists of samples that the loop need not be woken for.
    fileprivate func isQuiet(_ isIndifferent: (Measurement) -> Bool) -> Bool {
        switch self {
        case .sample(let sample): isIndifferent(sample.measurement)
        case .run(let run):
            run.count <= DeviceChannel.mostQuietEvents && run.samples.allSatisfy { isIndifferent($0.measurement) }
        default: false
        }
    }
}

/// What the loop wants of a device thread; a newer wish replaces an older one.
struct DeviceCommands: Equatable, Sendable {
    /// The combined demand of all subscribers; nil if nobody asks.
    var demand: Demand?
    /// What to do once; what was asked for earlier is among it until the thread has taken it.
    var requests: DeviceRequests = []
    /// An administrator has taken the device away.
    var isReleased = false
    /// How many times that has happened.
    var releases = 0
    /// How long the device stays open when nobody asks for it; nil: the thread's own default.
    var warmGraceNanoseconds: Int64?
}

/// What a device thread is asked to do once.
public struct DeviceRequests: OptionSet, Sendable {
    /// A bit for each.
    public let rawValue: UInt8

    /// Those of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To see whether the device is there; a failed device is retried at once.
    public static let probe = Self(rawValue: 1)
    /// To look at the device at once, open or not: it may have come, gone or changed.
    public static let look = Self(rawValue: 2)
    /// To close the device if nobody asks for it: memory is short.
    public static let evict = Self(rawValue: 4)
    /// To close the device and make its driver again, with the configuration of that moment.
    public static let remake = Self(rawValue: 8)
    /// To close the device and end; this one holds on.
    public static let stop = Self(rawValue: 16)
    /// To note that for a moment nobody asked, even if somebody asks again now.
    static let lapse = Self(rawValue: 32)
}
