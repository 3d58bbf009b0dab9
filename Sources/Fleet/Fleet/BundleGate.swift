/// Messages leave together, each so often, so that a radio sleeps in between.
///
/// The gate stays open as long as there is more than fits at once, or a backlog that has its own pace: the radio is
/// awake then.
package struct BundleGate: Equatable, Sendable {
    private let interval: Int64?
    /// When the gate opens next; what is past: it is open.
    private var opens = Int64.min
    private var isOpen = true

    /// A gate that opens each so often; nil: it is always open.
    package init(intervalNanoseconds: Int64?) { interval = intervalNanoseconds }

    package var gathers: Bool { interval != nil }

    /// When the gate opens; nil if it is open.
    package var deadline: Int64? { isOpen ? nil : opens }

    /// Opens it when it is time; whether it has just opened.
    package mutating func turn(_ now: Int64) -> Bool {
        guard !isOpen, now >= opens else { return false }
        isOpen = true
        return true
    }

    /// All that was there has left: it closes until its next time.
    package mutating func close(_ now: Int64) {
        guard let interval, isOpen else { return }
        isOpen = false
        // A connection that came before its time changes nothing about that.
        guard opens <= now else { return }
        // On a grid, however long the sending took.
        opens = opens <= now - interval ? now + interval : opens + interval
    }

    /// Whether it is time for what is due before it opens again.
    package func isLastChance(for due: Int64, _ now: Int64) -> Bool {
        guard let next = nextOpening(now) else { return now >= due }
        return isOpen && (now >= due || due < next)
    }

    /// When something that is due at an instant can leave.
    package func chance(for due: Int64) -> Int64 { max(due, deadline ?? due) }

    /// When what leaves now is due again, if by itself it is at an instant: not before the gate opens again.
    package func again(_ due: Int64, _ now: Int64) -> Int64 { max(due, nextOpening(now) ?? due) }

    // Not an interval from now: what has just been sent would be due within that again.
    private func nextOpening(_ now: Int64) -> Int64? { interval.map { opens > now ? opens : opens + $0 } }

    /// A new connection begins with whatever is there.
    package mutating func open() { isOpen = true }
}
