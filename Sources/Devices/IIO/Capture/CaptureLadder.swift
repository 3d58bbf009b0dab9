/// Which rung the next opening of a device uses: what is remembered from one opening to the next.
///
/// If the driver refuses a rung, the next one is tried at once. A buffer that starts and stays empty looks like a
/// stalled device, and the difference matters: a stalled device that is polled may answer with its last value before
/// the stall, for ever and as if it were new; polling never fails, so nothing would lead back to the buffer. A buffer
/// that has delivered once is therefore never doubted again; one that has never delivered is skipped at the next
/// opening, together with the rungs above it, and tried again at the one after.
struct CaptureLadder {
    private var device: String?
    private var delivered: Set<CaptureRung> = []
    private var doubted: Set<CaptureRung> = []
    private var skipped: Set<CaptureRung> = []
    /// The rung to use, once the device is found.
    private(set) var rung = CaptureRung.polling

    /// Whether rungs above this one were skipped because their buffers stayed empty.
    private(set) var isBelowSilence = false

    /// An opening begins; doubted rungs are skipped in this opening and no other, whatever its outcome.
    mutating func begin() {
        skipped = doubted
        isBelowSilence = !doubted.isEmpty
        doubted = []
    }

    /// The opening has found a device with these rungs besides polling; what was known of another device is forgotten.
    mutating func found(_ device: String, _ rungs: [CaptureRung]) {
        if device != self.device {
            self.device = device
            delivered = []
            if isBelowSilence { skipped = [] }
            isBelowSilence = false
        }
        rung = rungs.first { !skipped.contains($0) } ?? .polling
        assert(rung == .polling || !skipped.contains(rung), "what is skipped is not used")
    }

    mutating func refused() { skipped.insert(rung) }

    mutating func didDeliver() { delivered.insert(rung) }

    /// The buffer failed before it delivered anything in this opening.
    mutating func wasSilent() {
        guard rung != .polling, !delivered.contains(rung) else { return }
        doubted = skipped.union([rung])
        assert(delivered.isDisjoint(with: [rung]), "a buffer that has delivered is not doubted")
    }
}

/// The ways to get samples from a device, best first.
enum CaptureRung: CaseIterable, Sendable {
    /// The buffer, filled by the device's own trigger or by the one that somebody has set.
    case trigger
    /// The buffer, filled by the device itself: it has a FIFO, or takes no trigger.
    case fifo
    /// The buffer, filled by a kernel timer.
    case timer
    /// No buffer: the device is polled.
    case polling
}
