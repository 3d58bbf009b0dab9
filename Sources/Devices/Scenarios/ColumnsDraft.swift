internal import Formats
internal import Mock
internal import Readings

/// Columns of a CSV file, read in the same way as by `sensorctl import`.
struct ColumnsDraft: Equatable {
    /// The file; nil: there is none, of which the rest would have to be said.
    var name: String?
    var columns: [String] = []
    var unit: String?
    var timeUnit: String?

    /// The values in named columns, or in columns with usual names; three names mean that there are no times.
    func series(
        in file: String, of kind: Kind, isRepeated: Bool, _ files: ScenarioFiles
    ) throws(Refusal) -> ValueSeries {
        var named: TableImport.Names = [:]
        let channels = kind.row.channels.map(\.description)
        for (role, name) in zip(channels.reversed() + ["time"], columns.reversed()) { named[role] = (name, nil) }
        if let unit, let first = channels.first { named[first] = (named[first]?.column, unit) }
        if let timeUnit { named["time"] = (named["time"]?.column, timeUnit) }
        let (wanted, isTimed) = (named, columns.count != channels.count)
        let samples = try files.read(file) { (bytes) throws(FormatError) in
            do throws(FormatError) {
                return try TableImport.values(of: kind, bytes, wanted, isTimed: isTimed)
            } catch {
                guard error.words.hasSuffix("name them") else { throw error }
                let list = channels.map { $0.uppercased() }.joined(separator: ", ")
                throw FormatError(line: error.line, "\(error.words): Columns=TIME, \(list), or \(list)")
            }
        }
        guard samples.contains(where: { $0.offsetNanoseconds != nil }) else {
            return ValueSeries(samples.map(\.values), isRepeated: isRepeated)
        }
        return ValueSeries(
            samples.map { (offsetNanoseconds: $0.offsetNanoseconds ?? 0, values: $0.values) }, isRepeated: isRepeated)
    }
}
