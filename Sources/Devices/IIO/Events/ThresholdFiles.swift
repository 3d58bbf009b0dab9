internal import Glibc
internal import Platform

/// The files in sysfs with a channel's two thresholds and what they held before, and those that switch them on.
struct ThresholdFiles {
    private let rising: File
    private let falling: File
    /// One for both directions, or one for each.
    private let switches: [String]

    private struct File {
        let path: String
        let former: String

        init(_ path: String) throws(SystemError) {
            guard let text = SmallFile.line(at: path) else { throw SystemError("read \(path)", code: EIO) }
            (self.path, former) = (path, text)
        }

        func write(_ text: String) throws(SystemError) { try SmallFile.write(text, to: path) }
    }

    /// The thresholds of a channel, or of all channels of its type, in a directory; nil if it lacks one.
    init?(of channel: String, in directory: String) throws(SystemError) {
        let type = String(channel.prefix { !$0.isNumber })
        func path(_ end: String) -> String? {
            [channel, type].map { "\(directory)/in_\($0)_thresh_\(end)" }.first { unsafe access($0, F_OK) == 0 }
        }
        let either = path("either_en").map { [$0] }
        let switches = either ?? ["rising_en", "falling_en"].compactMap(path)
        guard let rising = path("rising_value"), let falling = path("falling_value"),
            either != nil || switches.count == 2
        else { return nil }
        self.rising = try File(rising)
        self.falling = try File(falling)
        self.switches = switches
    }

    /// Sets the thresholds to a window, or to a narrower one that the chip takes; returns that.
    ///
    /// The lower one never exceeds the upper one, not even in between.
    func set(_ wanted: EventWindow, after former: EventWindow?) throws(SystemError) -> EventWindow {
        var window = wanted
        let formerHigh = former?.high ?? Double(rising.former) ?? .infinity
        if window.high >= formerHigh {
            try set(.high, of: &window, in: rising)
            try set(.low, of: &window, in: falling)
        } else {
            try set(.low, of: &window, in: falling)
            try set(.high, of: &window, in: rising)
        }
        return window
    }

    private func set(
        _ limit: EventWindow.Limit, of window: inout EventWindow, in file: File
    ) throws(SystemError) {
        while true {
            do throws(SystemError) { return try file.write(window[limit].sysfsText) } catch {
                guard [EINVAL, ERANGE].contains(error.code), window.narrow(limit) else { throw error }
            }
        }
    }

    func switchOn() throws(SystemError) { for path in switches { try SmallFile.write("1", to: path) } }

    /// Switches the thresholds off and leaves them as they were found.
    ///
    /// Off in any case: who has the events knows that nobody else reads them. A killed daemon may have left them on, and some
    /// drivers give no value then. Errors do not matter here: the device may be gone.
    func restore() {
        for path in switches { try? SmallFile.write("0", to: path) }
        // One of the thresholds may have to wait for the other.
        for file in [rising, falling, rising] { try? file.write(file.former) }
    }
}
