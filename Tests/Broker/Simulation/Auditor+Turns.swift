internal import Delivery
internal import Readings

/// Clients of equal and multiple intervals get their readings in the same turns: a wake-up costs ten sends.
extension Auditor {
    /// A client whose due times are steady got a reading in this turn.
    struct Beat {
        let client: Client
        let interval: Int64
        /// The sample that served the due time.
        let index: Int
    }

    func checkSharedTurns() {
        // If a device does not report its period, a sample before its due time is sent when the device seems silent.
        guard truth.period > 0, let first = beats.first, !truth.arrivals[first.index].followsGap else { return }
        for (token, other) in clients where other.isInRhythm(truth.period) && other.grant.batchNanoseconds == 0 {
            // Near the device's own rate, a delayed sample serves its due times one sample later for a while.
            guard other.grant.intervalNanoseconds >= 2 * truth.period else { continue }
            for beat in beats where beat.interval % other.grant.intervalNanoseconds == 0 {
                // The due time of a late sample has passed: the newest sample before it was sent last by a source that
                // seemed silent.
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
