internal import Platform

/// Logs for the administrator what is wrong with the broker: the same only once in a row.
struct BrokerComplaints {
    private let journal: Journal
    private var last: String?

    init(_ journal: Journal) { self.journal = journal }

    /// There is no connection, or it has ended.
    mutating func isLost(_ reason: String) { write("\(reason); trying again") }

    /// The broker refuses a call for a resource or its list, with an error of this name.
    mutating func refuses(_ what: String, _ error: String) {
        write("the broker refuses '\(what)' (\(error)); see its configuration, Groups=")
    }

    /// The broker answers.
    mutating func end() { last = nil }

    private mutating func write(_ text: String) {
        guard last != text else { return }
        last = text
        journal.write(.warning, text)
    }
}
