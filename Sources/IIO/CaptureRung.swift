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
