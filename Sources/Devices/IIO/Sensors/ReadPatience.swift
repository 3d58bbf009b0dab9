internal import Devices

/// For how many openings a device is tried again as a whole because an attribute could not be read.
///
/// Of a device with several kinds, one may have an attribute that cannot be read: a scale, an offset. If a bus was
/// disturbed for a moment, the next opening reads it, and what was lost is a gap. If a driver fails so for ever, that
/// must not take the other kinds along: they are served, and this one is unavailable, and its reason names the
/// attribute. Only waiting distinguishes the two. So the opening fails as a whole, and is retried like any other that
/// failed, until it has failed so `most` times in a row, which takes about three seconds; after that the others are
/// served without that kind, also at later openings, until all can be read. Kinds that nobody wants count, too: else a
/// client that comes later would find one missing, since nobody opens a device that is open.
///
/// A device with that kind only has nothing to serve meanwhile, and is retried for ever.
struct ReadPatience {
    private static let most = 6
    private var failures = 0

    /// Whether to fail the opening, because an attribute could not be read once more.
    mutating func waits() -> Bool {
        guard failures < Self.most else { return false }
        failures += 1
        return true
    }

    /// All could be read.
    mutating func reset() { failures = 0 }

    /// For one who only looks, and serves nothing.
    static var none: Self { Self(failures: most) }

    init() {}

    private init(failures: Int) { self.failures = failures }
}

extension DeviceFault {
    /// Whether a call failed that may succeed at another time.
    var isUnread: Bool { cause != nil }
}
