import SensorBroker

/// Tells when a fence is left or entered.
///
/// It takes any source of locations: the host's in the program, a scripted one in its tests.
public struct GeofenceAlarm: Sendable {
    /// What happened.
    public enum Crossing: Equatable, Sendable {
        /// The fence was entered.
        case entered
        /// The fence was left.
        case left
    }

    private let fence: Geofence
    private let location: any LocationService & Sendable

    /// An alarm for a fence.
    public init(_ fence: Geofence, location: any LocationService & Sendable) {
        self.fence = fence
        self.location = location
    }

    /// Waits for the next crossing; the first known location only tells on which side it begins.
    public func nextCrossing() async throws -> Crossing? {
        var wasInside: Bool?
        for try await reading in location.readings {
            guard let isInside = fence.contains(reading.value) else { continue }
            if let wasInside, wasInside != isInside { return isInside ? .entered : .left }
            wasInside = isInside
        }
        return nil
    }
}
