internal import Observation

/// Something that observers are notified of: the newest reading, the state and the errors of a resource, or settings.
///
/// This has no value itself. Observers are notified when the change has been made, since they may look at once, on
/// another thread.
final class Observed: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    /// Stands for the newest reading, or for the settings.
    private var value: Void { () }
    /// Stands for the state.
    private var state: Void { () }
    /// Stands for the errors of those who want the resource.
    private var error: Void { () }

    /// Whoever observes now has read the value.
    func readValue() { registrar.access(self, keyPath: \.value) }

    /// Whoever observes now has read the state.
    func readState() { registrar.access(self, keyPath: \.state) }

    /// Whoever observes now has read an error.
    func readError() { registrar.access(self, keyPath: \.error) }

    /// Notifies observers of the value.
    func valueHasChanged() { registrar.withMutation(of: self, keyPath: \.value) {} }

    /// Notifies observers of the state.
    func stateHasChanged() { registrar.withMutation(of: self, keyPath: \.state) {} }

    /// Notifies observers of the errors.
    func errorHasChanged() { registrar.withMutation(of: self, keyPath: \.error) {} }
}

/// The resources whose readings and states have been read by somebody who may observe them, and what they were like when
/// observers were last notified.
///
/// A program that reads nothing pays nothing.
struct Observers {
    /// How long after a change observers are notified once more.
    ///
    /// Somebody may have read the value before a change and begun to observe it after that. The library cannot prevent this.
    static let repetitionNanoseconds: Int64 = 1_000_000_000

    /// What has changed of a resource.
    struct Change: Sendable {
        let observed: Observed
        let isReading: Bool
        let isState: Bool
        let isError: Bool
    }

    /// What a resource is like.
    private struct Aspect: Equatable {
        let reading: BootTime?
        let state: ResourceState?
        let errors: [ListenerID: SensorError]

        init(_ resource: ResourceName, in hub: Hub) {
            reading = hub.broker.newest[resource]?.timestamp
            state = hub.state(of: resource)
            errors = hub.audience.failures(of: resource)
        }
    }

    private struct Entry {
        let observed: Observed
        var notified: Aspect
        var repetitionAt: BootTime?
    }

    private var entries: [ResourceName: Entry] = [:]

    /// Whether nothing is observed.
    var isEmpty: Bool { entries.isEmpty }

    /// What stands for a resource.
    mutating func observed(_ resource: ResourceName, in hub: Hub) -> Observed {
        if let entry = entries[resource] { return entry.observed }
        let entry = Entry(observed: Observed(), notified: Aspect(resource, in: hub))
        entries[resource] = entry
        return entry.observed
    }

    /// What observers are to be notified of now.
    mutating func changes(in hub: Hub, now: BootTime) -> [Change] {
        var changes: [Change] = []
        for (resource, former) in entries {
            let (aspect, notified) = (Aspect(resource, in: hub), former.notified)
            if aspect != notified {
                changes.append(
                    Change(
                        observed: former.observed, isReading: aspect.reading != notified.reading,
                        isState: aspect.state != notified.state, isError: aspect.errors != notified.errors))
                entries[resource] = Entry(
                    observed: former.observed, notified: aspect, repetitionAt: now + Self.repetitionNanoseconds)
            } else if let repetitionAt = former.repetitionAt, now >= repetitionAt {
                changes.append(Change(observed: former.observed, isReading: true, isState: true, isError: true))
                entries[resource]?.repetitionAt = nil
            }
        }
        return changes
    }

    /// When observers are to be notified once more.
    var deadline: BootTime? { entries.values.reduce(nil) { BootTime.earlier($0, $1.repetitionAt) } }
}
