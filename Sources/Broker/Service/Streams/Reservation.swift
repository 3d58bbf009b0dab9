internal import Admission

/// What a part of a stream has of its user's share, such as the memory for its batch and for the message that carries it.
///
/// All of it is reserved when the part is granted, so that gathering charges nothing. It is given back when the last
/// copy of the part is destroyed.
final class Reservation {
    private let charge: Charge

    /// nil without a charge: the user's share does not allow it.
    init?(_ charge: consuming Charge?) {
        guard let charge else { return nil }
        self.charge = charge
    }
}
