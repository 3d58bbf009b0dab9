public import Readings

/// Rounds in which the watchers of the list of resources are informed of changes, and the users who pay for them.
///
/// The first change after a while is sent at once. Further changes are gathered, since the list is for people: one
/// round per tenth of a second. A round informs each watcher once, over as many turns of the loop as it takes. Changes
/// in the meantime are left to the next round, so that everybody ends with the newest list. The users whose requests
/// made devices start or stop pay for the next round, in equal parts. Pure: time is an argument.
public struct ListRounds<Watcher: Sendable>: Sendable {
    /// How long after the beginning of a round the next one may begin.
    public static var pauseNanoseconds: Int64 { 100_000_000 }

    private var hasChanged = false
    private var nextRound = BootTime(nanoseconds: 0)
    private var causers: Set<Caller> = []
    /// The watchers that have not got the list in this round; the next one is at the end.
    private var remaining: [Watcher] = []
    /// The users who pay for this round.
    public private(set) var payers: [Caller] = []

    /// No change yet.
    public init() {}

    /// The list has changed.
    public mutating func change() { hasChanged = true }

    /// A caller made a device start or stop, which the list will show.
    public mutating func blame(_ caller: Caller) { causers.insert(caller) }

    /// When somebody must be informed; nil: nobody.
    public var due: BootTime? { !remaining.isEmpty ? BootTime(nanoseconds: 0) : hasChanged ? nextRound : nil }

    /// Begins a round with all present watchers if one is due; returns whether a round is under way.
    public mutating func begin(_ watchers: @autoclosure () -> [Watcher], now: BootTime) -> Bool {
        guard remaining.isEmpty else { return true }
        guard hasChanged, nextRound <= now else { return false }
        hasChanged = false
        nextRound = now + Self.pauseNanoseconds
        remaining = watchers()
        payers = Array(causers)
        causers = []
        return !remaining.isEmpty
    }

    /// Takes out the watcher to inform next in this round; nil: the round is over.
    public mutating func next() -> Watcher? { remaining.popLast() }
}
