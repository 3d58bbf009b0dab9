internal import Admission
internal import Varlink

/// The limits as a table for people, which `docs/limits.md` shows; a test compares the two.
extension Limits {
    /// One limit, as documented.
    private struct Row {
        let what: String
        let most: String
        let beyond: String
    }

    /// The rows of a Markdown table.
    public static let table = rows.map { "| \($0.what) | \($0.most) | \($0.beyond) |\n" }.joined()

    private static let tooMany = "one typed error, `TooManyConnections`, then disconnected"
    private static let rows = [
        Row(what: "connections for readings", most: users(connections), beyond: tooMany),
        Row(what: "connections for administrators", most: "\(administration.perTrustedUser) a user", beyond: tooMany),
        Row(what: "connections of programs that are sensors", most: users(providers), beyond: tooMany),
        Row(
            what: "resources of such a program", most: "\(resourcesPerProvider)",
            beyond: "the error `InvalidParameter`"),
        Row(
            what: "time for the messages of a user's such programs", most: "\(feedPercent) % of the loop's",
            beyond: "they are not read for a while, and wait"),
        Row(
            what: "samples of such a program",
            most: "`MaxRate=` of its section a second; at once those of a second, and those that it may gather",
            beyond: "left out; a gap reports how many, and so does the reply to the program"),
        Row(what: "subscriptions", most: users(subscriptions), beyond: "the typed error `TooManySubscriptions`"),
        Row(what: "subscriptions of a connection", most: "1", beyond: "calls behind it wait for its end"),
        Row(
            what: "requests in a subscription", most: "\(requestsPerSubscription)",
            beyond: "the typed error `TooManyRequests`"),
        Row(
            what: "requests in a subscription that are aligned to others", most: "\(companionsPerSubscription)",
            beyond: "the typed error `TooManyRequests`"),
        Row(what: "requests with labels", most: users(labels), beyond: "the typed error `TooManyRequests`"),
        Row(
            what: "readings in a reply", most: "\(readingsPerReply)",
            beyond: "a shorter batch is granted, and announced"),
        Row(
            what: "calls and connects of a user",
            most:
                "\(callsPerSecond) a second, \(callsInBurst) in a row; administrators \(callsOfTrusted) times as many",
            beyond: "its connections are not read until it may call again"),
        Row(
            what: "calls in one turn of the loop", most: "\(callsPerTurn) a connection, \(allCallsPerTurn) in all",
            beyond: "the streams come first, the rest in the next turn"),
        Row(
            what: "time for calls in one turn of the loop",
            most: "\(callTurnNanoseconds / 1_000) µs",
            beyond: "the streams come first, the rest in the next turn"),
        Row(
            what: "share of the loop's time, while there are streams",
            most:
                "\(callPercent) % for calls, \(connectPercent) % for connects, \(listPercent) % for lists that are watched",
            beyond: "they wait; the user who has been served for the shortest time comes first"),
        Row(
            what: "changes of the list of resources, sent to those who watch it", most: "10 a second",
            beyond:
                "gathered; a user who makes devices start or stop pays a call for every \(watchersOfCheapCall) watchers informed"
        ),
        Row(
            what: "connections accepted in one turn", most: "\(acceptsPerTurn)",
            beyond: "the streams come first, the rest in the next turn"),
        Row(
            what: "a call",
            most: "counts as one, and as one more for each \(bytes(bytesOfCheapCall)) of it and its answer",
            beyond: "so the limits above are for small calls"),
        Row(what: "size of a call", most: bytes(callBytes), beyond: "closed"),
        Row(what: "depth of a call's JSON", most: "\(callStructure.depth)", beyond: "closed"),
        Row(what: "keys in an object of a call's JSON", most: "\(callStructure.keysPerObject)", beyond: "closed"),
        Row(what: "time for a call to arrive", most: seconds(callNanoseconds), beyond: "closed"),
        Row(
            what: "bytes of an unfinished call",
            most: "\(bytes(leastCallBytes)), the rest of the user's share of memory",
            beyond: "closed"),
        Row(
            what: "bytes that wait for a client",
            most: "\(bytes(leastQueuedBytes)), to \(bytes(queuedBytes)) of the user's share of queues",
            beyond: "readings are lost, and a gap reports how many"),
        Row(
            what: "bytes of a batch of one resource",
            most: "\(bytes(leastBatchBytes)), the rest of the user's share of memory",
            beyond: "a shorter batch is granted, and announced"),
        Row(
            what: "readings that wait to be aligned, of each resource",
            most: "\(alignedReadings), of locations \(alignedLocations); a part of the user's share of memory",
            beyond: "the oldest are sent without the values that they wait for"),
        Row(
            what: "gaps that wait to be aligned, behind the last reading that waits",
            most: "one of each request and cause; a part of the user's share of memory",
            beyond: "one gap reports all of them"),
        Row(
            what: "bytes of replies that its socket has no room for",
            most: "\(bytes(leastUnsentBytes)) and what is reserved for batches, the rest of the user's share of memory",
            beyond: "closed"),
        Row(what: "the shares of queues", most: users(queues, bytes), beyond: "smaller queues"),
        Row(
            what: "the shares of memory", most: users(bytes, bytes),
            beyond: "shorter batches; unfinished calls are closed"),
        Row(
            what: "reads nothing while its queue is full", most: seconds(stuckNanoseconds),
            beyond: "the last message `slowClient`, and the end"),
        Row(
            what: "interval of users in no fast group",
            most: "\(AccessPolicy.usualShortestNanoseconds / 1_000_000) ms at least",
            beyond: "raised to that, and announced"),
        Row(what: "waiting of a `Read`", most: seconds(readNanoseconds), beyond: "shortened"),
        Row(what: "resources", most: "\(resources)", beyond: "further ones are not served"),
        Row(
            what: "lines in the log", most: "1 in \(seconds(logNanoseconds)) for each cause",
            beyond: "then the newest is written, with their number"),
    ]

    private static func users(_ terms: Quota.Terms, _ text: (Int) -> String = { "\($0)" }) -> String {
        "\(text(terms.total)) in all, \(text(terms.perUser)) a user"
    }

    private static func bytes(_ count: Int) -> String {
        count >= 1 << 20 ? "\(count >> 20) MiB" : "\(count >> 10) KiB"
    }

    private static func seconds(_ nanoseconds: Int64) -> String { "\(nanoseconds / 1_000_000_000) s" }
}
