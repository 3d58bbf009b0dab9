/// A command line that cannot be understood.
struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong with it, and how it should be.
    let description: String

    init(_ description: String) { self.description = description }
}
