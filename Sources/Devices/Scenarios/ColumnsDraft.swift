internal import Formats
internal import Mock
internal import Readings

/// Columns of a CSV file, read in the same way as by `sensorctl import`.
struct ColumnsDraft {
    /// The file.
    let name: String

    /// The values in named columns, or in columns with usual names; three names mean that there are no times.
    func series(
        of kind: Kind, _ names: [String], _ unit: String?, _ timeUnit: String?, isRepeated: Bool, _ files: ScenarioFiles
    ) throws(Refusal) -> ValueSeries {
        var named: TableImport.Names = [:]
        let channels = kind.row.channels.map(\.description)
        for (role, name) in zip(channels.reversed() + ["time"], names.reversed()) { named[role] = (name, nil) }
        if let unit, let first = channels.first { named[first] = (named[first]?.column, unit) }
        if let timeUnit { named["time"] = (named["time"]?.column, timeUnit) }
        let (wanted, isTimed) = (named, names.count != channels.count)
        let samples = try files.read(name) { (bytes) throws(FormatError) in
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
