internal import Readings

/// The file that `export` reads, and the one that it writes.
struct ExportOptions: Equatable {
    /// The formats that can be written.
    enum Target: String, CaseIterable {
        case gpx
        case csv
        case kml
        case geojson

        /// The format that a file's name ends in.
        init?(suffixOf path: String) {
            let suffix = path.lowercased().split(separator: ".").last.map { String($0) } ?? ""
            self.init(rawValue: suffix == "json" ? "geojson" : suffix)
        }
    }

    /// The recording that is read; `-` is the standard input.
    let input: String
    /// The file that is written; nil: the standard output.
    let output: String?
    /// Its format.
    let target: Target
    /// The resource that is exported; nil: all that fit the format.
    let resource: String?
    /// Whether a file that exists is replaced.
    let replaces: Bool

    /// Reads a command line.
    init(_ invocation: Invocation) throws(UsageError) {
        let (operands, options) = (invocation.operands, invocation.options)
        input = operands[0]
        output = operands.count == 2 && operands[1] != "-" ? operands[1] : nil
        replaces = invocation.has(.force)
        resource = try options[.exportedResource].map { text throws(UsageError) in try Self.name(text) }
        guard let target = options[.to].map({ Target(rawValue: $0) }) ?? output.flatMap({ Target(suffixOf: $0) }) else {
            throw UsageError("which format? Name a file that ends in .gpx, .csv, .kml or .geojson, or say --to gpx")
        }
        self.target = target
    }

    static func name(_ text: String) throws(UsageError) -> String {
        guard ResourceName(text) != nil else {
            throw UsageError("'\(text)' is no name of a resource: write it like location or accelerometer:1")
        }
        return text
    }
}
