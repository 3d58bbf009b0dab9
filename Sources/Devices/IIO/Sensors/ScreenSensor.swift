internal import Devices
internal import Readings

/// The accelerometer from which the orientation and the tilt of the screen follow.
///
/// It is the one that iio-sensor-proxy would use: the first in the display, by the path of its device. Which name it
/// has does not matter: `accelerometer` may be in the base, since an administrator chose it, or because there is no
/// other. Only if the administrator chose one that is in the display is that preferred to others there. One that is in
/// use stays, even if another comes that would have been first. If there is none in the display, nothing follows: a
/// laptop whose only accelerometer protects its disk does not turn its screen.
enum ScreenSensor {
    /// The source of what is derived from accelerations, and why it is that one.
    ///
    /// Without any accelerometer it is the first, which reports why it is missing.
    static func source(among all: [SensorRoster.Accelerometer], after former: ResourceName?) -> DerivationSource {
        let inDisplay = all.filter { $0.sighting.placement.isInDisplay }.sorted {
            $0.sighting.path.utf8.lexicographicallyPrecedes($1.sighting.path.utf8)
        }
        let best =
            inDisplay.first { $0.isChosen } ?? inDisplay.first { $0.name == former } ?? inDisplay.first
        if let best {
            return DerivationSource(.acceleration, best.name, because: reason(for: best, of: inDisplay.count))
        }
        guard !all.isEmpty else { return .first(.acceleration) }
        let others = all.map { "\($0.name) is in the \($0.sighting.placement.word ?? "base")\(by($0))" }
        return DerivationSource(
            .acceleration, nil,
            because: "no accelerometer is in the display: \(others.joined(separator: ", ")); if that is wrong, let a "
                + "rule of udev set ACCEL_LOCATION=display")
    }

    private static func by(_ one: SensorRoster.Accelerometer) -> String {
        one.sighting.placement.origin.map { ", by \($0)" } ?? ""
    }

    private static func reason(for one: SensorRoster.Accelerometer, of count: Int) -> String? {
        var words: [String] = []
        if let origin = one.sighting.placement.origin { words.append("in the display by \(origin)") }
        if one.isChosen {
            words.append("named by Default=")
        } else if count > 1 {
            words.append("the first of \(count) there")
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

extension HingeSources {
    /// The accelerometer of the screen and one that is declared to be in the base; nil: there never were both.
    init?(among all: [SensorRoster.Accelerometer], lid: ResourceName?, after former: HingeSources?) {
        let base = all.filter { !$0.sighting.placement.isInDisplay && $0.sighting.placement.word == "base" }
        let first = base.first { $0.name == former?.base } ?? base.first
        guard former != nil || lid != nil && first != nil else { return nil }
        self.init(lid: lid, base: first?.name)
    }
}
