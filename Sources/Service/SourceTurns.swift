internal import Readings

/// Which of the ready sources are served in a turn of the loop, and in which order.
///
/// A device's samples may go to one client or to a thousand, so one source takes microseconds and another milliseconds. The
/// sources that took least the last time come first, and when a turn has taken long enough, the others wait for the next
/// one, in which the quick sources may be ready again: no stream waits for all the others. A source that waits moves
/// forward by as much as it has waited, so each is served. Pure: time is an argument.
struct SourceTurns {
    private struct Account {
        /// How long it took when it was last served.
        var nanoseconds: Int64 = 0
        /// Since when it has been ready without being served.
        var waitsSince: BootTime?
    }

    private var accounts: [Account] = []

    /// The sources in the order in which they are to be served.
    mutating func order(_ ready: inout [Int], now: BootTime) {
        for source in ready {
            while accounts.count <= source { accounts.append(Account()) }
            if accounts[source].waitsSince == nil { accounts[source].waitsSince = now }
        }
        guard ready.count > 1 else { return }
        let accounts = accounts
        func rank(_ source: Int) -> Int64 {
            accounts[source].nanoseconds - (now - (accounts[source].waitsSince ?? now))
        }
        ready.sort { (rank($0), $0) < (rank($1), $1) }
    }

    /// A source was served, which took so long.
    mutating func didServe(_ source: Int, nanoseconds: Int64) {
        accounts[source] = Account(nanoseconds: nanoseconds)
    }
}
