internal import Configuration

/// Why something in a scenario cannot be used, and what can.
struct Refusal: Error {
    /// For people.
    let words: String
    /// Where, if that is another file than the scenario.
    var place: (file: String, line: Int?)?

    init(_ words: String) { self.words = words }

    /// What was written is none of what can be.
    init(_ text: String, isNo what: String, write examples: String) {
        self.init("'\(ConfigurationProblem.excerpt(text))' is no \(what); write \(examples)")
    }
}
