internal import Platform

/// What keeps the values up to date that one ``Latest`` shows.
///
/// While a ``Latest`` evaluates its key path, its upkeep is the `present` one, and the getters report to it what they
/// read. So what is subscribed to follows from what is read, whatever the key path looks like.
final class Upkeep: Sendable {
    /// The interval at which sensors are read whose getters have none; nil: each resource's default.
    let interval: Duration?
    /// Readings that are older count as unknown.
    let maximumAge: Duration?
    private let kept = Locked<[Name: Kept]>([:])
    private let failure = Locked<SensorError?>(nil)

    init(interval: Duration? = nil, maximumAge: Duration?) {
        self.interval = interval
        self.maximumAge = maximumAge
    }

    /// The upkeep of the ``Latest`` that is being read by the code that runs now; nil if none is.
    static var present: Upkeep? {
        guard let evaluation, evaluation.isRunning.withLock({ $0 }), evaluation.task == currentTask else { return nil }
        return evaluation.upkeep
    }

    /// Evaluates a key path, on behalf of this upkeep.
    func evaluate<Value>(_ read: () -> Value) -> Value {
        let evaluation = Evaluation(upkeep: self, task: Self.currentTask)
        defer { evaluation.isRunning.withLock { $0 = false } }
        return Self.$evaluation.withValue(evaluation, operation: read)
    }

    @TaskLocal private static var evaluation: Evaluation?

    /// One evaluation of a key path, by a task or by none.
    ///
    /// Tasks that a getter starts inherit it, but are other tasks, which read nothing that the ``Latest`` shows.
    private final class Evaluation: Sendable {
        let upkeep: Upkeep
        let task: Int?
        let isRunning = Locked(true)

        init(upkeep: Upkeep, task: Int?) {
            self.upkeep = upkeep
            self.task = task
        }
    }

    private static var currentTask: Int? { unsafe withUnsafeCurrentTask { unsafe $0?.hashValue } }

    private typealias Owner = any Sendable & AnyObject

    /// A value of an object.
    private struct Name: Hashable, Sendable {
        let owner: ObjectIdentifier
        let value: any Hashable & Sendable

        static func == (left: Self, right: Self) -> Bool {
            left.owner == right.owner && AnyHashable(left.value) == AnyHashable(right.value)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(owner)
            hasher.combine(AnyHashable(value))
        }
    }

    /// The object that keeps a value up to date; nil while it is being made.
    private struct Kept: Sendable {
        /// Not held, since a getter may make a manager at each access; when it is gone, another object can get its identity.
        weak let owner: Owner?
        var keeper: (any Sendable & AnyObject)?
    }

    /// Holds what keeps a value of an object up to date; the first time, it is made.
    ///
    /// The upkeep is made without the lock, since it may read the same value, and not on behalf of whoever reads this
    /// one. What belongs to objects that are gone is let go then, and not before, so that a value of passing objects
    /// stays up to date.
    func keep(
        _ value: some Hashable & Sendable, of owner: any Sendable & AnyObject,
        _ start: () -> any Sendable & AnyObject
    ) {
        let name = Name(owner: ObjectIdentifier(owner), value: value)
        let (former, owners, gone) = kept.withLock { kept -> (Kept?, [Name: Owner], [Kept]) in
            if let former = kept[name], let owner = former.owner { return (former, [name: owner], []) }
            let owners = kept.compactMapValues(\.owner)
            let gone = kept.filter { owners[$0.key] == nil }
            for name in gone.keys { kept[name] = nil }
            kept[name] = Kept(owner: owner)
            return (nil, owners, Array(gone.values))
        }
        if let former {
            (former.keeper as? Lease)?.renew(isAsked: false)
        } else {
            let keeper = Self.$evaluation.withValue(nil) { start() }
            kept.withLock { $0[name]?.keeper = keeper }
        }
        // Let go after the lock is released, since that may run user code, and after the new one has taken over the subscription.
        withExtendedLifetime((owners, gone)) {}
    }

    /// Why what is read can never be a value, by its name or by its kind; nil if it can.
    var fault: SensorError? {
        get { failure.withLock { $0 } }
        set { failure.withLock { $0 = newValue } }
    }

    /// Why a value is not kept up to date.
    var error: SensorError? {
        let keepers = kept.withLock { $0.values.compactMap { $0.keeper as? Lease } }
        return keepers.lazy.compactMap(\.error).first ?? fault
    }
}
