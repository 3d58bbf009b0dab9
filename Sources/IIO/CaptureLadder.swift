/// Which way a device is read at its next opening: what is remembered from one opening to the next.
///
/// A way that the driver refuses is followed by the next one at once. A buffer that starts and stays empty looks like a
/// device that stalls, and the difference matters: a stalled device that is asked for each sample may answer with the value
/// from before the stall, for ever and as if it were new, and asking does not fail, so nothing would lead back. So a buffer
/// that has delivered once is never doubted again; one that never has is left out at the next opening, with those above
/// it, and tried again at the one after.
struct CaptureLadder {
    private var device: String?
    private var delivered: Set<CaptureRung> = []
    private var doubted: Set<CaptureRung> = []
    private var skipped: Set<CaptureRung> = []
    /// The way that is taken, once the device is found.
    private(set) var rung = CaptureRung.polling

    /// Whether ways above it were left out since their buffers stayed empty.
    private(set) var isBelowSilence = false

    /// An opening begins; what was doubted is left out in this one and no other, whatever becomes of it.
    mutating func begin() {
        skipped = doubted
        isBelowSilence = !doubted.isEmpty
        doubted = []
    }

    /// The opening has found a device with these ways, besides polling; another than before has everything still to show.
    mutating func found(_ device: String, _ rungs: [CaptureRung]) {
        if device != self.device {
            self.device = device
            delivered = []
            if isBelowSilence { skipped = [] }
            isBelowSilence = false
        }
        rung = rungs.first { !skipped.contains($0) } ?? .polling
    }

    /// The driver refuses this way.
    mutating func refused() { skipped.insert(rung) }

    /// The buffer has delivered.
    mutating func didDeliver() { delivered.insert(rung) }

    /// The buffer failed before it delivered anything in this opening.
    mutating func wasSilent() {
        guard rung != .polling, !delivered.contains(rung) else { return }
        doubted = skipped.union([rung])
    }
}

/// A way to get samples out of a device, best first.
enum CaptureRung: CaseIterable, Sendable {
    /// Its buffer, filled by the device's own trigger, or by the one that somebody has set.
    case trigger
    /// Its buffer, filled by the device itself: it has a FIFO, or takes no triggers.
    case fifo
    /// Its buffer, filled by a timer of the kernel's.
    case timer
    /// No buffer: it is asked for each sample.
    case polling
}
