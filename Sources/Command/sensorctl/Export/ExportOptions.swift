internal import Programs
internal import Readings

/// The input and the output of `export`.
struct ExportOptions: Action, Equatable {
    enum Target: String, CaseIterable {
        case gpx
        case csv
        case kml
        case geojson
        case mcap
        case ndjson

        /// The format for a file name's suffix.
        init?(suffixOf path: String) {
            let suffix = path.lowercased().split(separator: ".").last.map { String($0) } ?? ""
            self.init(rawValue: suffix == "json" ? "geojson" : suffix)
        }
    }

    /// Refuses a file that is to hold a recording, and is named like one of another format.
    static func checkRecording(_ path: String) throws(UsageError) {
        let compression = path.hasSuffix(".zst") ? ".zst" : ""
        let name = path.dropLast(compression.count)
        guard let dot = name.lastIndex(of: "."), let other = Target(rawValue: name[dot...].dropFirst().lowercased()),
            other != .ndjson
        else { return }
        let recording = "\(name[..<dot]).ndjson\(compression)"
        throw UsageError(
            "\(path) would hold a recording, and no \(other.rawValue): name it \(recording); and then: "
                + "sensorctl export \(recording) \(name)")
    }

    /// The recording to read; `-` is the standard input.
    let input: String
    /// The file to write; `-` is the standard output.
    let output: String
    let target: Target
    /// The resource to export; nil: all that fit the format.
    let resource: String?
    let replaces: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        let (operands, options) = (invocation.operands, invocation.options)
        input = operands[0]
        output = operands.count == 2 ? operands[1] : "-"
        replaces = invocation.has(.force)
        resource = try invocation.value(.exportedResource, Self.name)
        guard let target = options[.to].map({ Target(rawValue: $0) }) ?? Target(suffixOf: output) else {
            throw UsageError(
                "the format is missing: name a file that ends in .gpx, .csv, .kml, .geojson, .mcap or .ndjson, or add --to gpx"
            )
        }
        self.target = target
    }

    /// Whether a resource is exported, if the format can hold it.
    func isWanted(_ name: ResourceName) -> Bool { resource.map { $0 == name.description } ?? true }

    static func name(_ text: String) throws(UsageError) -> String {
        guard ResourceName(text) != nil else {
            throw UsageError("'\(text)' is not the name of a resource: write it like location or accelerometer:1")
        }
        return text
    }
}
