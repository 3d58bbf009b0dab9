/// Which edge of the device is up; the raw value is its name on the wire.
public enum Orientation: String, CaseIterable, Sendable {
    /// Lying flat since it has been looked at: no edge is up.
    case undefined
    /// The top edge is up.
    case normal
    /// The bottom edge is up.
    case bottomUp = "bottom-up"
    /// The left edge is up.
    case leftUp = "left-up"
    /// The right edge is up.
    case rightUp = "right-up"
}
