internal import Readings

/// What `export` reads, and what it makes of it.
struct ExportOptions: Equatable {
    /// The formats of other programs that are written.
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
    /// The file that is made; nil: the standard output.
    let output: String?
    /// What is made.
    let target: Target
    /// Of which resource; nil: of all that fit the format.
    let resource: String?

    /// Whether a file that is there is replaced.
    let replaces: Bool

    /// The options of a command line with the operands `RECORDING [FILE]`.
    init(_ operands: [String], _ options: [Option: String]) throws(UsageError) {
        guard (1...2).contains(operands.count) else {
            throw UsageError("export needs a recording, and a file to make: sensorctl export drive.ndjson drive.gpx")
        }
        input = operands[0]
        output = operands.count == 2 && operands[1] != "-" ? operands[1] : nil
        replaces = options[.force] != nil
        if let text = options[.to] {
            guard let target = Target(rawValue: text) else {
                throw UsageError("'\(text)' cannot be exported: gpx, csv, kml or geojson")
            }
            self.target = target
        } else {
            guard let target = output.flatMap({ Target(suffixOf: $0) }) else {
                throw UsageError("which format? Name a file that ends in .gpx, .csv, .kml or .geojson, or say --to gpx")
            }
            self.target = target
        }
        resource = try options[.resource].map { (text) throws(UsageError) in try Self.name(text) }
    }

    static func name(_ text: String) throws(UsageError) -> String {
        guard ResourceName(text) != nil else {
            throw UsageError("'\(text)' is no name of a resource: write it like location or accelerometer:1")
        }
        return text
    }
}
