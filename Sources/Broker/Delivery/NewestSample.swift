internal import Readings

/// The last sample since a device was opened, and whether the device is still there.
struct NewestSample: Sendable {
    /// nil: the device has yielded none since it was opened.
    private(set) var sample: Sample?
    /// When the sample arrived, or was measured if that was later.
    private(set) var arrival = BootTime(nanoseconds: 0)
    /// Whether its device is still there.
    private(set) var isServing = false

    mutating func take(_ sample: Sample, arrival: BootTime) {
        assert(arrival >= sample.timestamp, "a sample arrives after it was measured")
        self.sample = sample
        self.arrival = arrival
        isServing = true
    }

    /// The device was opened and counts from 0 again.
    mutating func restart() {
        sample = nil
        isServing = false
    }

    /// The device is lost, or closed.
    mutating func loseDevice() { isServing = false }
}

/// The origin of due times, which the lanes of all resources of a device share.
struct Grid: Sendable {
    /// The time of the first sample since the device was opened.
    private(set) var anchor: BootTime?
    /// A grid that was given before the first sample, and with which that sample continues.
    private(set) var planned: BootTime?

    /// The origin for a lane that begins now; nil: its first sample is the origin.
    var origin: BootTime? { anchor ?? planned }

    /// The first sample after the device was opened continues a grid.
    mutating func plan(_ origin: BootTime?) { planned = origin }

    /// The device was opened.
    mutating func restart() { anchor = planned }

    mutating func begin(at sample: BootTime) {
        planned = nil
        if anchor == nil { anchor = sample }
    }

    /// Another resource of the device has begun a grid.
    mutating func follow(_ grid: BootTime) { if anchor == nil { anchor = grid } }
}
