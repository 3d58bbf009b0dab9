internal import Formats
internal import Mock
internal import Readings

/// Columns of a file of comma-separated values; read as `sensorctl import` reads them.
struct ColumnsDraft {
    /// The file.
    let name: String

    /// The values in it, by the columns that are named, or by their usual names; with three names there are no times.
    func series(
        _ names: [String], _ unit: String?, _ timeUnit: String?, isRepeated: Bool, _ files: ScenarioFiles
    ) throws(Refusal) -> AccelerationSeries {
        var named: TableImport.Names = [:]
        for (role, name) in zip(["z", "y", "x", "time"], names.reversed()) { named[role] = (name, nil) }
        if let unit { named["x"] = (named["x"]?.column, unit) }
        if let timeUnit { named["time"] = (named["time"]?.column, timeUnit) }
        let (wanted, isTimed) = (named, names.count != 3)
        let samples = try files.read(name) { (bytes) throws(FormatError) in
            do throws(FormatError) {
                return try TableImport.accelerations(bytes, wanted, isTimed: isTimed)
            } catch {
                guard error.words.hasSuffix("name them") else { throw error }
                throw FormatError(line: error.line, "\(error.words): Columns=TIME, X, Y, Z, or X, Y, Z")
            }
        }
        guard samples.contains(where: { $0.offsetNanoseconds != nil }) else {
            return AccelerationSeries(samples.map(\.acceleration), isRepeated: isRepeated)
        }
        return AccelerationSeries(
            samples.map { (offsetNanoseconds: $0.offsetNanoseconds ?? 0, acceleration: $0.acceleration) },
            isRepeated: isRepeated)
    }
}
