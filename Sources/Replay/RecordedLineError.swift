/// Why a line is none of a recording.
struct RecordedLineError: Error {
    let words: String

    init(_ words: String) { self.words = words }
}
