/// Whether a device or one of its resources may have changed since somebody looked: one for all of them, so that one question is
/// enough.
final class ChangeMark {
    // Each turn reads this, so it is only assigned, and only here.
    private(set) var isSet = true

    func set() { isSet = true }

    func clear() { isSet = false }
}
