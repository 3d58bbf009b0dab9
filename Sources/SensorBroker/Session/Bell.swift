internal import Platform

/// A bell that several hold.
final class Bell: Sendable {
    let event: WakeEvent
    init() throws(SystemError) { event = try WakeEvent() }
}
