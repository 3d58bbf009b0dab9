/// One thing that was looked at: how it is, and, where it is not well, what to do about it.
struct Finding: Equatable {
    /// How it is.
    enum Verdict: String {
        /// As it should be.
        case ok
        /// No fault, but worth knowing.
        case note
        /// Something does not work for it.
        case bad
    }

    /// What was looked at.
    let subject: String
    /// How it is.
    let verdict: Verdict
    /// The same in words.
    let words: String
    /// What to do about it; nil where there is nothing to do.
    let remedy: String?

    init(_ subject: String, _ verdict: Verdict, _ words: String, remedy: String? = nil) {
        self.subject = subject
        self.verdict = verdict
        self.words = words
        self.remedy = remedy
    }
}
