public import Admission
internal import Delivery
internal import Readings
public import Varlink

/// All limits on what one client, one user, or all of them together may use.
///
/// `docs/limits.md` is a table of them; a test compares the numbers.
public enum Limits {
    // MARK: connections

    /// Connections to the socket for readings, by user; root and the daemon's own user are the trusted ones.
    public static let connections = Quota.Terms(total: 2_048, perUser: 128, perTrustedUser: 1_536)
    /// Connections to the administrator's socket, which only the trusted can open: kept apart, so that they get in.
    public static let administration = Quota.Terms(total: 64, perUser: 0, perTrustedUser: 48)
    /// Connections of programs that provide resources, each of which takes two descriptors.
    public static let providers = Quota.Terms(total: 64, perUser: 16, perTrustedUser: 48)
    /// Descriptors that the daemon needs besides the clients' connections: 64 for administrators, 128 for programs that provide
    /// resources, 64 for rejected clients, and 128 for files, sockets and some thirty devices.
    ///
    /// Further devices, of which each takes three, come out of what clients leave: hosts with so many are rare.
    public static let ownDescriptors = 384
    /// Rejected clients that may stay connected for a moment, to read the error.
    public static let turnedAway = 64
    /// How long they may stay, in nanoseconds.
    public static let turnedAwayNanoseconds: Int64 = 250_000_000
    /// Connections that are accepted in one turn of the loop: a flood of connects must not hold up the streams.
    public static let acceptsPerTurn = 64
    /// How long accepting pauses if the process has no descriptors left, unless a client leaves, in nanoseconds.
    public static let acceptPauseNanoseconds: Int64 = 250_000_000

    // MARK: alignment

    /// Readings of a resource that wait to be aligned, or are kept to be interpolated between: as far as the user's share of
    /// memory goes.
    public static let alignedReadings = 4_096
    /// The same of locations, which come once a second.
    public static let alignedLocations = 256
    /// The part of both that every stream may have.
    public static let alignedFraction = 16

    static func alignedReadings(of kind: Kind) -> Int {
        kind.row.form == .location ? alignedLocations : alignedReadings
    }

    // MARK: calls

    /// Bytes of one call.
    public static let callBytes = 64 * 1_024
    /// The limits on a call's JSON.
    public static let callStructure = JSONLimits.calls
    /// How long a call may take to arrive, from its first byte, in nanoseconds.
    public static let callNanoseconds: Int64 = 10_000_000_000
    /// A call counts as one, and as one more for each time that it and its answer fill this many bytes, which take
    /// time.
    public static let bytesOfCheapCall = 1_024
    /// Calls of one user per second, on average; a connect counts as one.
    public static let callsPerSecond = 200
    /// Calls of one user in a row, after a time without any.
    public static let callsInBurst = 400
    /// By what factor trusted users may make more calls: administrators' scripts do much at once.
    public static let callsOfTrusted = 10
    /// Calls of one connection in one turn of the loop.
    public static let callsPerTurn = 8
    /// Calls of all connections in one turn of the loop, so that a flood of them does not hold up the streams.
    public static let allCallsPerTurn = 64
    /// How long clients' calls are served in one turn of the loop, in nanoseconds: one call may take as long as many.
    public static let callTurnNanoseconds: Int64 = 500_000
    /// How long devices and other sources are served in one turn of the loop, in nanoseconds; the one that exceeds it is the last.
    public static let sourceTurnNanoseconds: Int64 = 1_000_000
    /// The share of all time that calls and the ends of connections may take while there are streams, in percent.
    public static let callPercent = 11
    /// The same for connects.
    public static let connectPercent = 4
    /// The same for sending lists of resources to their watchers.
    public static let listPercent = 3
    /// How much of the loop's time each of these may take at once after a pause, in nanoseconds.
    public static let burstNanoseconds: Int64 = 2_000_000
    /// How long states of resources are sent to streams in one turn of the loop, in nanoseconds.
    public static let announceTurnNanoseconds: Int64 = 250_000
    /// How long lists are sent to their watchers in one turn of the loop, in nanoseconds.
    public static let listTurnNanoseconds: Int64 = 250_000
    /// How long after the beginning of a round in which the list is sent the next one may begin, in nanoseconds.
    public static let listPauseNanoseconds: Int64 = 100_000_000
    /// A user who makes devices start or stop pays a call for this many informed watchers.
    public static let watchersOfCheapCall = 4
    /// Bytes of a long reply that are written at once; it may be a little more.
    public static let portionBytes = 8 * 1_024
    /// The longest that a `Read` waits, in nanoseconds: a day.
    public static let readNanoseconds: Int64 = 86_400_000_000_000

    // MARK: subscriptions

    /// Subscriptions, of which a connection can have one.
    public static let subscriptions = Quota.Terms(total: 2_048, perUser: 64, perTrustedUser: 1_536)
    /// Readings gathered in one reply; the time that this takes limits the granted batch.
    public static let readingsPerReply = Grant.readingsPerReply
    /// Requests in one subscription.
    public static let requestsPerSubscription = 1_024
    /// Those of them that are aligned to others, each of which keeps readings.
    public static let companionsPerSubscription = 16
    /// Requests with labels, by user: each may have a lane of its own, which takes about 2 KiB.
    public static let labels = Quota.Terms(total: 16_384, perUser: 4_096, perTrustedUser: 12_288)
    /// Bytes of readings that are gathered into one message for a client with labelled requests; it may be somewhat more.
    public static let bundleBytes = 12 * 1_024
    /// Grants of labelled requests in one message besides a reply.
    public static let grantsPerReply = 64
    /// Resources that are served; further ones are not.
    public static let resources = 512
    /// How long a stream may be silent before an empty reply shows that it is alive, in nanoseconds.
    public static let heartbeatNanoseconds: Int64 = 30_000_000_000
    /// How much sooner it may get that sign, with others that are due, or in a turn that takes place anyway.
    static let heartbeatSlackNanoseconds: Int64 = 3_000_000_000
    /// How long a client may read nothing while there is something for it, in nanoseconds.
    public static let stuckNanoseconds: Int64 = 30_000_000_000

    // MARK: bytes

    /// Bytes that the kernel may hold for a client, as it counts them.
    public static let queuedBytes = 256 * 1_024
    /// The part of them that every client has, whatever its user has used.
    public static let leastQueuedBytes = 32 * 1_024
    /// Bytes of queues beyond these, by user.
    public static let queues = Quota.Terms(total: 32 << 20, perUser: 4 << 20, perTrustedUser: 28 << 20)
    /// Bytes of an unfinished call that every client may have kept, whatever its user has used.
    public static let leastCallBytes = 4 * 1_024
    /// Bytes of a message's unsent rest, and of replies behind it, that every client may have kept.
    public static let leastUnsentBytes = 16 * 1_024
    /// Bytes of a batch, gathered and sent, that every part of a stream may have, whatever its user has used.
    public static let leastBatchBytes = 4 * 1_024
    /// Bytes of the daemon's own memory beyond these three, by user.
    public static let bytes = Quota.Terms(total: 32 << 20, perUser: 4 << 20, perTrustedUser: 28 << 20)

    // MARK: programs that provide resources

    /// Resources of one program.
    public static let resourcesPerProvider = 16
    /// The limits on the JSON of its samples: a location with all fields has 40, and a satellite eight.
    static let pushStructure = JSONLimits(depth: 8, keysPerObject: 64)
    /// Intervals that it may offer.
    public static let intervalsOfProvider = 64
    /// The share of the loop's time that the messages of a user's programs may take, in percent.
    public static let feedPercent = 25

    // MARK: devices and log

    /// How long a `Release` waits for devices to close, in nanoseconds.
    public static let releaseNanoseconds: Int64 = 5_000_000_000
    /// The longest time for which devices can be released, in seconds: a year; longer means without end.
    public static let releaseSeconds: Int64 = 366 * 86_400
    /// How long a device's thread may be in its driver before its resource counts as unavailable, in nanoseconds: libiio
    /// and the kernel's HID drivers wait for five seconds, twice at the most.
    public static let hangNanoseconds: Int64 = 12_000_000_000
    /// How long a log line is the only one of its cause, in nanoseconds.
    public static let logNanoseconds: Int64 = 10_000_000_000
    /// Causes of lines that are distinguished.
    public static let logCauses = 256
}
