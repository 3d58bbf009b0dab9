internal import Platform

/// Reports that may come by the thousand: the first ones as they are, and then, ever more seldom, how many there were.
struct RationedReports {
    private static let mostAtOnce = 3

    /// What there are several of: `lines`.
    private let plural: String
    private var made = 0
    private var held = 0
    private var newest = ""
    private var dueNanoseconds = Int64.min
    private var pauses = Backoff(
        firstNanoseconds: 10 * Nanoseconds.second, longestNanoseconds: 3_600 * Nanoseconds.second)

    init(of plural: String) { self.plural = plural }

    /// Takes a report of something that happened so many times; the text for people, if it is time for one.
    mutating func add(_ words: String, times: Int = 1, _ now: Int64) -> String? {
        if made < Self.mostAtOnce {
            made += 1
            dueNanoseconds = now + pauses.next()
            return words
        }
        held += times
        newest = words
        guard now >= dueNanoseconds else { return nil }
        dueNanoseconds = now + pauses.next()
        return summary()
    }

    /// What was held back, at the end.
    mutating func summary() -> String? {
        guard held > 0 else { return nil }
        defer { held = 0 }
        return held == 1 ? newest : "\(held) more \(plural) like that; the last one: \(newest)"
    }
}
