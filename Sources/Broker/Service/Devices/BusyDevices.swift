internal import Delivery
internal import Devices
internal import Readings

/// The devices for which somebody asks, or did a moment ago: of the others nothing is due.
///
/// A turn goes through those that have changed. Of the others it knows what their last look kept (`ServedDevice.look`): which of
/// them must act first is known at once, and what counts for all is added up.
final class BusyDevices {
    // Lists are only assigned, as in the catalog.
    private var all: [ServedDevice] = []
    /// Those of them whose samples may wait in their channels, and whether one does.
    private var indifferent: [ServedDevice] = []
    private let quiet = LoopFlag()
    /// The sum of what counts for the status line, as of the last looks.
    private(set) var counts = DeviceCounts()
    /// Those that have changed since their last look, by their places.
    private let changed = ChangedDevices()
    /// When each must act, by its place.
    private var deadlines = Deadlines()

    /// Whether a device is one of them.
    func contains(_ device: ServedDevice) -> Bool { all.contains { $0 === device } }

    func add(_ device: ServedDevice) {
        guard !contains(device) else { return }
        all = all.adding(device)
        enter(device, at: all.count - 1)
    }

    /// Looks at those that have changed, and forgets those for which nobody asks any more.
    func look(_ derived: (DerivationIndex) -> Indifference.Ground?) {
        let devices = all
        assert(
            devices.allSatisfy { $0.core.hasChanged || $0.isUpToDate(derived) },
            "from which samples nothing follows has changed unnoticed")
        var (areAllBusy, areSameIndifferent) = (true, true)
        for place in changed.take() {
            let device = devices[place]
            let (before, wasIndifferent) = (device.counts, device.isIndifferent)
            device.look(derived, quiet)
            counts = counts - before + device.counts
            deadlines.set(device.deadline, of: place)
            if device.isIndifferent != wasIndifferent { areSameIndifferent = false }
            if !device.isBusy { areAllBusy = false }
        }
        if !areAllBusy { forgetOthers() }
        if !areAllBusy || !areSameIndifferent { indifferent = all.filter(\.isIndifferent) }
    }

    /// The devices behind one that goes get other places.
    private func forgetOthers() {
        for device in all where !device.isBusy { device.core.noteChanges(in: nil, at: 0) }
        all = all.filter(\.isBusy)
        (counts, _) = (DeviceCounts(), changed.take())
        deadlines.removeAll()
        for (place, device) in all.enumerated() { enter(device, at: place) }
    }

    private func enter(_ device: ServedDevice, at place: Int) {
        device.core.noteChanges(in: changed, at: place)
        deadlines.set(device.deadline, of: place)
        counts = counts + device.counts
    }

    /// Those whose channels may have samples for which the loop was not woken since they were last taken.
    func takeQuiet() -> [ServedDevice] { quiet.take() ? indifferent : [] }

    /// When the first lane or waiting read is due; nil: none is.
    var deadline: BootTime? {
        for place in changed.places { deadlines.set(all[place].deadline, of: place) }
        let earliest = deadlines.first?.instant
        assert(earliest == all.lazy.compactMap(\.deadline).min(), "when a device must act has changed unnoticed")
        return earliest
    }

    func expire(to sink: BrokerSink, _ now: BootTime) {
        while let (place, instant) = deadlines.first, instant <= now {
            // When it must act again is known after the next look, at the end of this turn.
            deadlines.set(nil, of: place)
            all[place].core.noteChange()
            all[place].core.expire(to: sink, now: now)
        }
    }
}
