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

    /// Whether a file that is there is replaced.
    let replaces: Bool

    /// The options of a command line with the operands `INPUT RECORDING`.
    init(_ operands: [String], _ options: [Option: String]) throws(UsageError) {
        guard operands.count == 2 else {
            throw UsageError("import needs a file to read and one to make: sensorctl import drive.gpx drive.ndjson")
        }
        (input, output) = (operands[0], operands[1])
        source = try options[.from].map { (text) throws(UsageError) in
            guard let source = FileContent.Kind(rawValue: text) else {
                throw UsageError("'\(text)' cannot be imported: nmea, gpx or csv")
            }
            return source
        }
        resource = try options[.resource].map { (text) throws(UsageError) in try ExportOptions.name(text) }
        columns = options[.columns]
        replaces = options[.force] != nil
        intervalNanoseconds = try options[.interval].map { (text) throws(UsageError) in
            let interval = try IntervalText.nanoseconds(text)
            guard interval > 0 else { throw UsageError("--interval needs a time, like 1s") }
            return interval
        }
    }
}
