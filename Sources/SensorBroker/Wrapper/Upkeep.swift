internal import Platform

/// What keeps the values up to date that one ``Latest`` shows.
///
/// While a ``Latest`` evaluates its key path, its upkeep is the `present` one, and the getters tell it what they read. So
/// what is subscribed to follows from what is read, whatever the key path looks like.
final class Upkeep: Sendable {
    /// The upkeep of the ``Latest`` that is being read; nil if none is.
    @TaskLocal static var present: Upkeep?

    /// Readings that are older count as unknown.
    let maximumAge: Duration?
    private let kept = Locked<[Name: Kept]>([:])

    init(maximumAge: Duration?) { self.maximumAge = maximumAge }

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
        /// Held, so that no other object can get its identity.
        let owner: any Sendable & AnyObject
        var keeper: (any Sendable & AnyObject)?
    }

    /// Holds what keeps a value of an object up to date; the first time, it is made.
    ///
    /// It is made without the lock, since it may read the same value.
    func keep(
        _ value: some Hashable & Sendable, of owner: any Sendable & AnyObject,
        _ start: () -> any Sendable & AnyObject
    ) {
        let name = Name(owner: ObjectIdentifier(owner), value: value)
        let former = kept.withLock { kept -> Kept? in
            if let former = kept[name] { return former }
            kept[name] = Kept(owner: owner)
            return nil
        }
        if let former {
            (former.keeper as? Lease)?.renew(isAsked: false)
        } else {
            let keeper = start()
            kept.withLock { $0[name]?.keeper = keeper }
        }
    }

    /// Why a value is not kept up to date.
    var error: SensorError? {
        let keepers = kept.withLock { $0.values.compactMap { $0.keeper as? Lease } }
        return keepers.lazy.compactMap(\.error).first
    }
}
