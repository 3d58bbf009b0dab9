internal import BrokerClient

/// How much a value must change to be sent, as people write it: `5m`, `0.2m/s2`, `20mg`, `5`.
///
/// A unit must fit the quantity that the resource measures, which follows from the resource's name. Without a unit, the
/// number is in the unit of the resource's readings.
struct MinimumChange: Equatable {
    private enum Quantity: String {
        case length = "m"
        case acceleration = "m/s²"

        /// The quantity that a resource measures; nil if this program does not know the resource.
        init?(of resource: String) {
            switch resource.prefix(while: { $0 != ":" }) {
            case "location": self = .length
            case "accelerometer": self = .acceleration
            default: return nil
            }
        }
    }

    private static let standardGravity = 9.80665

    /// Each unit with its factor.
    private static let units: [String: (quantity: Quantity, factor: Double)] = [
        "m": (.length, 1), "km": (.length, 1_000), "cm": (.length, 0.01),
        "m/s²": (.acceleration, 1), "m/s2": (.acceleration, 1), "m/s^2": (.acceleration, 1),
        "g": (.acceleration, standardGravity), "mg": (.acceleration, standardGravity / 1_000),
    ]

    private let text: String
    private let value: Double
    private let quantity: Quantity?

    init(_ text: String) throws(UsageError) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = String(text.dropFirst(digits.count).drop { $0 == " " })
        let known = Self.units[unit]
        guard let value = Double(digits), value.isFinite, unit.isEmpty || known != nil else {
            throw UsageError(
                "'\(text)' is not a change: write it like 5m for a location, 0.2m/s2 or 20mg for an acceleration")
        }
        self.text = text
        self.value = value * (known?.factor ?? 1)
        quantity = known?.quantity
    }

    /// The change, converted to the unit of a resource's readings.
    func value(for resource: String) throws(UsageError) -> Double {
        guard resource.prefix(while: { $0 != ":" }) != "orientation" else {
            throw UsageError("\(resource) has no amount that could change: leave out --min-change")
        }
        guard let quantity, quantity != Quantity(of: resource) else { return value }
        let other = Quantity(of: resource).map { "is measured in \($0.rawValue)" } ?? "is measured in something else"
        throw UsageError(
            "--min-change \(text) is in \(quantity.rawValue), but \(resource) \(other): give it in that, or as a bare number, "
                + "and run one sensorctl for each kind")
    }
}
