/// The name of a channel, as libiio takes it from the names of files in sysfs.
///
/// A file is named by the channel's type and number, perhaps a modifier, perhaps a name that the driver gives it, and what
/// it holds: `in_voltage0_raw`, `in_concentration_co2_raw`, `in_voltage2_battery_raw`. A driver's name is not part of the
/// channel's id, and only channels with a number have one that libiio can distinguish from a modifier.
package struct ChannelName: Equatable {
    /// The type with the number and the modifier: `voltage0`, `concentration_co2`, `voltage0-voltage1`.
    package let id: String

    /// The channel that a file makes readable; nil if it is none of those.
    package init?(ofFile file: String) {
        guard file.hasPrefix("in_"), let end = ["_raw", "_input", "_en"].first(where: file.hasSuffix) else {
            return nil
        }
        let whole = file.dropFirst("in_".count).dropLast(end.count)
        guard let place = whole.firstIndex(of: "_"), whole[..<place].last?.isNumber == true else {
            id = String(whole)
            return
        }
        let rest = whole[whole.index(after: place)...]
        let modifier = Self.modifiers.first { rest == $0 || rest.hasPrefix("\($0)_") }
        id = "\(whole[..<place])" + (modifier.map { "_\($0)" } ?? "")
    }

    /// Those of libiio 0.24 that a channel with a number may have; of several that fit, the longest comes first.
    private static let modifiers = [
        "x&y&z", "x&y", "x&z", "y&z", "x|y|z", "x|y", "x|z", "y|z", "x", "y", "z", "both", "ir", "clear", "red",
        "green", "blue", "uv", "duv", "quaternion", "ambient", "object", "from_north_magnetic_tilt_comp",
        "from_north_true_tilt_comp", "from_north_magnetic", "from_north_true", "i", "q", "co2", "ethanol", "h2", "o2",
        "voc", "pm1", "pm2p5", "pm4", "pm10",
    ]
}
