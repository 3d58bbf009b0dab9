internal import Devices
internal import Glibc
internal import Platform
internal import Readings

/// Lets a device report by events that a value has changed, so that nobody has to keep asking.
///
/// Once a reading is outside of the window that is set, the window moves there. So whoever wants to know of a change as
/// large as the window gets to know at once; whoever wants to know of larger ones may miss one up to the next reading
/// only if it is larger by less than a window. The thresholds are restored in the end.
struct ChangeAlarm: ~Copyable {
    /// A channel that is watched.
    struct Channel {
        let thresholds: ThresholdFiles
        /// The smallest change that matters, in the unit of the driver.
        let change: Double
        /// Whether its numbers are counts.
        let isWhole: Bool
        fileprivate var window: EventWindow?

        init(_ thresholds: ThresholdFiles, change: Double, isWhole: Bool) {
            (self.thresholds, self.change, self.isWhole) = (thresholds, change, isWhole)
        }
    }

    private let events: IIOEvents
    private var channels: [Channel]
    private var rhythm: EventRhythm

    /// Watches channels of a device that is read first when `due`.
    ///
    /// Nothing is set before the first numbers are known.
    init(_ channels: [Channel], _ events: consuming IIOEvents, due: Int64) {
        self.channels = channels
        self.events = events
        rhythm = EventRhythm(due: due)
    }

    // The events keep the device's number from being given to another one, so these files are still its own.
    deinit { for channel in channels { channel.thresholds.restore() } }

    /// When to read the device.
    var due: Int64 { rhythm.due }

    /// What to wait for: once a change was reported, further events do not matter before the device is read.
    var readiness: Readiness {
        let due = BootTime(nanoseconds: rhythm.due)
        return rhythm.isReported ? .at(due) : .descriptor(events.descriptor, orAt: due)
    }

    /// Takes the events that have come; the device is then due, but not before `earliest`.
    mutating func takeEvents(at now: Int64, notBefore earliest: Int64) throws(SystemError) {
        if try events.take() { rhythm.reported(at: now, notBefore: earliest) }
    }

    /// The device was read: sets the thresholds around numbers that are outside of their windows.
    ///
    /// `standing` is where something near stays near, for each channel. Returns false if the device's reports do not
    /// agree with its values.
    mutating func follow(
        _ numbers: [Double], standing: [ClosedRange<Double>?], at now: Int64
    ) throws(SystemError) -> Bool {
        let isSet = channels.allSatisfy { $0.window != nil }
        let changed = channels.indices.filter { channels[$0].window?.contains(numbers[$0]) != true }
        for index in changed {
            let channel = channels[index]
            let window = EventWindow(
                around: numbers[index], change: channel.change, isWhole: channel.isWhole, standing: standing[index])
            channels[index].window = try channel.thresholds.set(window, after: channel.window)
        }
        if !isSet { for channel in channels { try channel.thresholds.switchOn() } }
        return rhythm.read(at: now, hasChanged: isSet ? !changed.isEmpty : nil)
    }
}
