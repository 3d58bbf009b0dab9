internal import Glibc
internal import Platform

/// What keeps the values up to date that one ``Latest`` shows.
///
/// While a ``Latest`` evaluates its key path, its upkeep is the `present` one, and the getters tell it what they read. So
/// what is subscribed to follows from what is read, whatever the key path looks like.
final class Upkeep: Sendable {
    /// The upkeep of the ``Latest`` that is being read here; nil if none is.
    static var present: Upkeep? { access?.upkeep }

    @TaskLocal private static var access: Access?

    /// Evaluates a key path, whose getters tell this upkeep what they read.
    func evaluate<Value>(_ read: () -> Value) -> Value {
        let access = Access(self)
        defer { access.end() }
        return Self.$access.withValue(access, operation: read)
    }

    /// One reading of a ``Latest``.
    ///
    /// A task that a getter starts inherits it, and reads for itself: later, or on another thread.
    private final class Access: Sendable {
        private let running: Locked<Upkeep?>
        private let thread = pthread_self()

        init(_ upkeep: Upkeep) { running = Locked(upkeep) }

        /// The one that reads; nil for whoever else asks.
        var upkeep: Upkeep? { pthread_equal(thread, pthread_self()) != 0 ? running.withLock { $0 } : nil }

        func end() { running.withLock { $0 = nil } }
    }

    /// Readings that are older count as unknown.
    let maximumAge: Duration?
    private let kept = Locked<[Name: Kept]>([:])

    init(maximumAge: Duration?) { self.maximumAge = maximumAge }

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
    /// It is made without the lock, since it may read the same value, and not on behalf of whoever reads this one. What belongs to
    /// objects that are gone is let go then, and not before, so that a value of passing objects stays up to date.
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
            let keeper = Self.$access.withValue(nil) { start() }
            kept.withLock { $0[name]?.keeper = keeper }
        }
        // Let go after the lock is released, since that may run user code, and after the new one has taken over the subscription.
        withExtendedLifetime((owners, gone)) {}
    }

    /// Why a value is not kept up to date.
    var error: SensorError? {
        let keepers = kept.withLock { $0.values.compactMap { $0.keeper as? Lease } }
        return keepers.lazy.compactMap(\.error).first
    }
}
