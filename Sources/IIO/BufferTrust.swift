/// Whether a device is read through its buffer at its next opening: what is remembered from one opening to the next.
///
/// A device that stalls looks like one whose buffer never works. The difference matters: a stalled device that is asked
/// for each sample answers, with the value from before the stall, for ever and as if it were new, and polling does not
/// fail, so nothing would lead back to the buffer. So a buffer that has delivered once is never doubted again; one that
/// never has is avoided at a single opening, and tried at the one after.
struct BufferTrust {
    private var device: String?
    private var hasDelivered = false
    private var doubted: String?

    /// An opening begins: the device whose buffer is to be avoided at it, and at no other, whatever becomes of it.
    mutating func takeDoubted() -> String? {
        defer { doubted = nil }
        return doubted
    }

    /// The opening has found a device; another than before has its buffer still to show.
    mutating func found(_ device: String) {
        guard device != self.device else { return }
        self.device = device
        hasDelivered = false
    }

    /// The buffer of the device has delivered.
    mutating func delivered() { hasDelivered = true }

    /// The buffer failed before it delivered anything in this opening.
    mutating func failed() { doubted = hasDelivered ? nil : device }
}
