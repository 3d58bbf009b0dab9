import SensorBroker

/// Tells when a circle on the ground is left or entered.
///
/// It takes any source of locations: the host's in the program, a scripted one in its tests.
public struct GeofenceAlarm: Sendable {
    /// What happened.
    public enum Crossing: Equatable, Sendable {
        /// The circle was entered.
        case entered
        /// The circle was left.
        case left
    }

    private let fence: CircularCondition
    private let location: any LocationService & Sendable

    /// An alarm for a circle.
    public init(_ fence: CircularCondition, location: any LocationService & Sendable) {
        self.fence = fence
        self.location = location
    }

    /// Waits for the next crossing; the first known location only tells on which side it begins.
    public func nextCrossing() async throws -> Crossing? {
        var wasInside: Bool?
        for try await event in location.conditions(["fence": fence]) {
            // Where it is may be unknown for a while.
            guard let isInside = event.isSatisfied else { continue }
            if let wasInside, wasInside != isInside { return isInside ? .entered : .left }
            wasInside = isInside
        }
        return nil
    }
}
