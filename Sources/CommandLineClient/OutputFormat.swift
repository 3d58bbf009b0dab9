/// How output is written.
enum OutputFormat: String, CaseIterable {
    /// For people.
    case text
    /// One object a line.
    case json
    /// A header and then a row a reading.
    case csv
}
