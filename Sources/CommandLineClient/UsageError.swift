/// A command line that cannot be carried out, in words for who typed it.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) { self.message = message }
}
