internal import Delivery
internal import Readings

/// Clients of equal and of multiple intervals get their readings in the same turns: a wake costs ten sends.
extension Auditor {
    /// A client in its rhythm got a reading in this turn.
    struct Beat {
        let client: Client
        let interval: Int64
        /// The sample that served the due time.
        let index: Int
    }

    func checkSharedTurns() {
        // Of a device that does not say its period, what comes before its due time goes out when it seems silent.
        guard truth.period > 0, let first = beats.first, !truth.arrivals[first.index].followsGap else { return }
        for (token, other) in clients where other.isInRhythm(truth.period) && other.grant.batchNanoseconds == 0 {
            // Near the device's own rate one that was held up serves its due times a sample later for a while.
            guard other.grant.intervalNanoseconds >= 2 * truth.period else { continue }
            for beat in beats where beat.interval % other.grant.intervalNanoseconds == 0 {
                // What came late has its due time behind it: the newest before it was the last word of a silent source.
                let earliest = truth.arrivals[beat.index].stamp - truth.period
                if let trailedAt = other.trailedAt, trailedAt >= earliest { continue }
                expect(
                    other.lastIndex ?? -1 >= beat.index, .sharedTurns,
                    "client \(beat.client) got \(beat.index) for \(beat.interval) ns, client \(token) not, for \(other.grant)"
                )
            }
        }
        beats = []
    }
}
