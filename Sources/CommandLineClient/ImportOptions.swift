internal import Formats

/// What `import` reads, and what it makes of it.
struct ImportOptions: Equatable {
    /// The file that is read; `-` is the standard input.
    let input: String
    /// The recording that is made; `-` is the standard output.
    let output: String
    /// What the input is; nil: what it looks like.
    let source: FileContent.Kind?
    /// What the resource is called; nil: after what it measures.
    let resource: String?
    /// Which columns hold what.
    let columns: String?
    /// How far apart the samples are, where the file does not say it.
    let intervalNanoseconds: Int64?
    /// Whether a file that exists is replaced.
    let replaces: Bool

    /// What a command line asks for.
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
