/// Where in the host a sensor is, as udev, the firmware and the driver have it.
///
/// There are two questions. *By which word is it known?* By the first that there is: udev's property `ACCEL_LOCATION`,
/// then the attribute `label`, then `location`. *Does it turn the screen?* That is what iio-sensor-proxy makes of the
/// same files, since this takes its place: it reads the three in this order, too, but skips words that it does not
/// know, and a sensor of which nothing is left is in the display. So an accelerometer of the camera turns the screen
/// there, and here. (Version 3.0 does not read `label`; 3.7 to 3.9 do, and they are followed.)
struct Placement: Equatable, Sendable {
    /// udev's property `ACCEL_LOCATION`, which only accelerometers have.
    private let property: String?
    /// The attribute `label`: `accel-display`, `accel-base`, `accel-camera`, `proximity-lap`.
    private let label: String?
    /// The attribute `location`, which is older.
    private let location: String?

    /// The words of the three places; nil where there is nothing.
    init(property: String? = nil, label: String? = nil, location: String? = nil) {
        (self.property, self.label, self.location) = (property, label, location)
    }

    /// `display`, `base`, `camera` or another word; nil if there is none.
    var word: String? {
        guard let first = all.first(where: { !$0.isEmpty }) else { return nil }
        return first.hasPrefix("accel-") ? String(first.dropFirst("accel-".count)) : first
    }

    /// Whether an administrator's word means this place: the short word, or any of the three.
    func answers(to word: String) -> Bool { self.word == word || all.contains(word) }

    /// The display's sensor comes first, since programs that know of only one accelerometer mean that one; then a
    /// sensor without a word, then the others.
    var rank: Int {
        switch word {
        case "display", "lid": 0
        case nil: 1
        case "base": 2
        default: 3
        }
    }

    /// Whether an accelerometer at this place turns the screen.
    var isInDisplay: Bool { decision?.isInDisplay ?? true }

    /// What decides whether it is in the display; nil: nothing.
    var origin: String? { decision?.origin }

    private var all: [String] { [property, label, location].compactMap { $0 } }

    private var decision: (isInDisplay: Bool, origin: String)? {
        if let isIn = property.flatMap(Self.isDisplay(location:)) { return (isIn, "udev's ACCEL_LOCATION") }
        if let isIn = label.flatMap(Self.isDisplay(label:)) { return (isIn, "its label") }
        if let isIn = location.flatMap(Self.isDisplay(location:)) { return (isIn, "its location") }
        return nil
    }

    private static func isDisplay(location: String) -> Bool? {
        switch location {
        case "", "display", "lid": true
        case "base": false
        default: nil
        }
    }

    private static func isDisplay(label: String) -> Bool? {
        switch label {
        case "accel-display": true
        case "accel-base": false
        default: nil
        }
    }
}
