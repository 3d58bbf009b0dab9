internal import Programs
internal import Readings

/// A minimum change as people write it: `5m`, `0.2m/s2`, `20mg`, `5`.
///
/// The unit must belong to the resource's kind, which follows from its name. A number without a unit is in the unit of
/// the readings.
struct MinimumChange: Equatable {
    private let text: String
    private let value: Double
    private let unit: String

    init(_ text: String) throws(UsageError) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        unit = String(text.dropFirst(digits.count).drop { $0 == " " })
        guard let value = Double(digits), value.isFinite, unit.isEmpty || Self.kind(of: unit) != nil else {
            throw UsageError(
                "'\(text)' is not a minimum change: write it like 5m for a location, 0.2m/s2 for an acceleration, "
                    + "10deg/s for a gyroscope")
        }
        self.text = text
        self.value = value
    }

    /// The change, converted to the unit of a resource's readings.
    func value(for resource: String) throws(UsageError) -> Double {
        let kind = Kind(resource: resource.word)
        guard kind?.row.change != .any else {
            throw UsageError("\(resource) is not a number: leave out the minimum change")
        }
        guard !unit.isEmpty else { return value }
        if let factor = kind?.row.changeUnit.factor(of: unit) { return value * factor }
        let given = Self.kind(of: unit).map { $0.row.changeUnit.symbol } ?? unit
        let other = kind.map { Self.measured(in: $0.row.changeUnit) } ?? "is measured in something else"
        throw UsageError(
            "a minimum change of \(text) is in \(given), but \(resource) \(other): write one for each resource, as in "
                + "location,min=5m accelerometer,min=0.2m/s2")
    }

    /// The kind that uses a unit.
    private static func kind(of unit: String) -> Kind? { Kind.all.first { $0.row.changeUnit.factor(of: unit) != nil } }

    private static func measured(in unit: KindRow.Unit) -> String {
        unit.symbol.isEmpty ? "has no unit" : "is measured in \(unit.symbol)"
    }
}
