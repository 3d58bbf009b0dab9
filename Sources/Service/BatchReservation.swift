internal import Delivery

/// What a stream's batch may keep in memory, and of a message in which it goes out: so much of its user's share of bytes.
///
/// All of it is taken when the batch is granted, so that gathering charges nothing. It is given back when the last copy of the
/// part of a stream goes that holds it.
final class BatchReservation {
    private let charge: Charge

    /// nil without a charge: the share does not allow it.
    init?(_ charge: consuming Charge?) {
        guard let charge else { return nil }
        self.charge = charge
    }
}
