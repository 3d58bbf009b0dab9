/// The parts of a file that are generated; each stands between two lines, so that the rest can be written by hand.
public struct GeneratedParts: Sendable {
    /// A part between a line that begins it and the next line that ends it.
    public struct Part: Sendable {
        let begin: String
        let end: String
        let lines: [String]

        /// A part, with the lines around it.
        public init(begin: String, end: String, lines: [String]) {
            self.begin = begin
            self.end = end
            self.lines = lines
        }
    }

    /// The path of the file.
    public let path: String
    private let parts: [Part]

    /// Parts in the order in which they are in the file.
    public init(_ path: String, _ parts: [Part]) {
        self.path = path
        self.parts = parts
    }

    /// Parts between marks, which are comments that begin with one text and end with another.
    public init(_ path: String, comment: String, _ tail: String = "", parts: [(name: String, lines: [String])]) {
        self.init(
            path,
            parts.map { part in
                func mark(_ side: String) -> String {
                    "\(comment) \(side) of what 'make generated' writes: \(part.name)\(tail)"
                }
                return Part(begin: mark("begin"), end: mark("end"), lines: part.lines)
            })
    }

    /// The file's text with its parts made anew.
    public func replaced(in text: String) throws(Failure) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        var next = 0
        for part in parts {
            guard let begin = lines[next...].firstIndex(of: part.begin),
                let end = lines[(begin + 1)...].firstIndex(of: part.end)
            else { throw Failure(.data, "\(path) has no lines '\(part.begin)' and '\(part.end)'") }
            lines.replaceSubrange(begin + 1..<end, with: part.lines)
            next = begin + 1 + part.lines.count
        }
        return lines.joined(separator: "\n")
    }
}
