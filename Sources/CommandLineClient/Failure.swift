/// Why a command ends before it is through, and what its user can do about it.
struct Failure: Error, Equatable {
    /// The exit status.
    let status: ExitStatus
    /// What happened and what to do next; nil where nobody is left to be told.
    let message: String?

    init(_ status: ExitStatus, _ message: String?) {
        self.status = status
        self.message = message
    }

    /// The reader of the output is gone, as with `| head`: a quiet end.
    static let outputClosed = Failure(.done, nil)
}
