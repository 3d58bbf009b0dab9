internal import Formats

/// The file that `import` reads, and how.
struct ImportOptions: Equatable {
    /// The file that is read; `-` is the standard input.
    let input: String
    /// The recording that is written; `-` is the standard output.
    let output: String
    /// The format of the input; nil: found out from its content.
    let source: FileContent.Kind?
    /// The name of the resource; nil: that of what it measures.
    let resource: String?
    /// Which columns hold what.
    let columns: String?
    /// The time between two samples, for a file without times.
    let intervalNanoseconds: Int64?
    /// Whether a file that exists is replaced.
    let replaces: Bool

    /// Reads a command line.
    init(_ invocation: Invocation) throws(UsageError) {
        let options = invocation.options
        (input, output) = (invocation.operands[0], invocation.operands[1])
        source = options[.from].flatMap { FileContent.Kind(rawValue: $0) }
        resource = try options[.importedResource].map { text throws(UsageError) in try ExportOptions.name(text) }
        columns = options[.columns]
        replaces = invocation.has(.force)
        intervalNanoseconds = try options[.pointInterval].map { text throws(UsageError) in
            let interval = try TimeWords.interval(text)
            guard interval > 0 else { throw UsageError("--interval needs more than 0, such as 1s") }
            return interval
        }
    }
}
