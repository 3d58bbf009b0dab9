package import Readings

/// Which samples nothing follows from: nobody has to be woken for them.
///
/// A client that asks for changes, and whatever is derived, make nothing of most samples of a device at rest. What those samples
/// would be compared with is known beforehand. So a device's thread can distinguish them from others, and leave them in its queue until
/// something else wakes the loop, which then takes them first. Whoever asks for a sample gets the same as if each had been taken
/// when it came.
public struct Indifference: Equatable, Sendable {
    /// Why nothing follows from a sample.
    package enum Ground: Equatable, Sendable {
        /// The sample differs by less than a minimum change from the reading that a client got last.
        case unmoved(from: Measurement, by: Double)
        /// What was derived last from a device with these axes still holds.
        case unturned(Tracker, along: DeviceProfile.Axes)

        /// Whether nothing follows from a measurement.
        func covers(_ measurement: Measurement) -> Bool {
            switch self {
            case .unmoved(let last, let minimumChange): return Change.between(last, measurement) < minimumChange
            case .unturned(var tracker, let axes):
                return Acceleration(measurement).map { !tracker.follow($0, along: axes) } ?? true
            }
        }
    }

    /// Those of all lanes, each with what its resource measures.
    ///
    /// Samples of what nobody asks for are dropped in any case.
    private var grounds: [(quantity: Quantity, ground: Ground)] = []

    /// The most lanes for which it is worth the work, which the device's thread does for each sample.
    static let mostLanes = 8

    /// Whether nothing follows from a measurement for anybody.
    package func covers(_ measurement: Measurement) -> Bool {
        grounds.allSatisfy { $0.quantity != measurement.quantity || $0.ground.covers(measurement) }
    }

    /// Whether both cover the same.
    public static func == (one: Self, other: Self) -> Bool {
        one.grounds.elementsEqual(other.grounds) { $0.quantity == $1.quantity && $0.ground == $1.ground }
    }

    fileprivate mutating func add(_ grounds: [Ground], of quantity: Quantity) {
        self.grounds += grounds.map { (quantity, $0) }
    }
}

extension Device {
    /// Whether there may be such samples, by what is quick to see.
    package var mayBeIndifferent: Bool {
        isActive && !resources.isEmpty
            && resources.allSatisfy { !$0.core.isWanted || $0.core.lanes.mayBeIndifferent }
    }

    /// Whether the answer depends on derivations, too, and not on the device alone.
    package var followsDerivations: Bool { resources.contains { $0.core.lanes.followsDerivation } }

    /// Which samples nothing follows from at present; nil: something may follow from any.
    ///
    /// The answer holds until the device changes (`hasChanged`), or a derivation that follows it. `derived` gives it for a derivation.
    package func indifference(_ derived: (DerivationIndex) -> Indifference.Ground?) -> Indifference? {
        // One without resources may get its own back: what it measures meanwhile must not wait for that.
        guard isActive, !resources.isEmpty else { return nil }
        var indifference = Indifference()
        for resource in resources where resource.core.isWanted {
            guard !resource.isAwaitingFirst, let grounds = resource.core.grounds(derived) else { return nil }
            indifference.add(grounds, of: resource.quantity)
        }
        return indifference
    }
}
