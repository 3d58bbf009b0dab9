/// Where in the host an accelerometer is, in the words of its driver: `accel-display`, `accel-base`, `accel-camera`.
struct Placement: Equatable, Sendable {
    /// The attribute `label`, or the older `location`, as it is.
    let label: String

    /// `display`, `base`, `camera`, or whatever the driver says.
    var words: String { label.hasPrefix("accel-") ? String(label.dropFirst(6)) : label }

    /// A display's comes first, since it is what programs mean that know of one accelerometer only; then one that says
    /// nothing, then the others.
    static func rank(_ placement: Placement?) -> Int {
        switch placement?.words {
        case "display", "lid": 0
        case nil: 1
        case "base": 2
        default: 3
        }
    }
}
