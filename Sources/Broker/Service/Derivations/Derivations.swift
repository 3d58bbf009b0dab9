internal import Delivery
internal import Devices
internal import Platform
internal import Readings

/// The derived resources, and how they follow their sources.
final class Derivations {
    /// By their indices, which they keep.
    // Each reading for a derivation looks for it here, so this is only assigned (`Array.adding`).
    private(set) var all: [Derivation] = []
    private let catalog: Catalog

    init(_ catalog: Catalog) { self.catalog = catalog }

    subscript(index: DerivationIndex) -> Derivation { all[index.number] }

    func add(_ derivation: Derivation) {
        assert(derivation.index.number == all.count, "a derivation has an index of its own")
        all = all.adding(derivation)
    }

    /// The first client has asked for a derived resource, the last one has gone, or another interval is enough for all.
    func follow(_ demand: Demand?, _ index: DerivationIndex, to sink: BrokerSink, _ now: BootTime) {
        let derivation = self[index]
        derivation.want(every: demand?.intervalNanoseconds)
        if let reason = derivation.absence {
            // Calls that wait for a reading are answered.
            if demand != nil { derivation.fail(reason) }
            return
        }
        let (source, device) = (catalog[derivation.source], catalog.device(of: derivation.source).core)
        switch (derivation.isWanted, demand != nil) {
        case (false, false): return
        case (false, true):
            derivation.restart()
            derivation.join(source, to: sink, now)
        case (true, false): derivation.leave(source, to: sink, now)
        case (true, true): rejoin(derivation, source, to: sink, now)
        }
        device.settle(to: sink, now: now)
        derivation.follow(device.sourceState(of: source))
    }

    /// What follows from a kind follows from this resource from now on, or from none.
    func derive(from source: DerivationSource, to sink: BrokerSink, _ now: BootTime) {
        for derivation in all where derivation.sourceKind == source.kind {
            let index = source.name.flatMap { catalog.index(of: $0) }
            if index != derivation.presentSource, derivation.isWanted {
                derivation.leave(catalog[derivation.source], to: sink, now)
                catalog.device(of: derivation.source).core.settle(to: sink, now: now)
            }
            derivation.move(to: source, at: index)
            follow(derivation.device.core.demand, derivation.index, to: sink, now)
            if let index { follow(catalog[index]) }
        }
    }

    /// The capabilities of a source have changed.
    func regrant(from source: OwnedResource, to sink: BrokerSink, _ now: BootTime) {
        forEach(from: source) { derivation in
            derivation.learnAxes(of: source)
            rejoin(derivation, source, to: sink, now)
        }
    }

    private func rejoin(_ derivation: Derivation, _ source: OwnedResource, to sink: BrokerSink, _ now: BootTime) {
        guard derivation.wantsOtherGrant(of: source) else { return }
        derivation.leave(source, to: sink, now)
        derivation.join(source, to: sink, now)
    }

    /// A source's samples count from 0 again.
    func restart(from source: OwnedResource) { forEach(from: source) { $0.restart() } }

    /// A source could not be used.
    func fail(from source: OwnedResource, reason: String) { forEach(from: source) { $0.fail(reason) } }

    /// The state of a source has changed.
    func follow(_ source: OwnedResource) {
        let state = catalog.device(of: source.index).core.sourceState(of: source)
        forEach(from: source) { $0.follow(state) }
    }

    /// A sample of a source whose clients get none, since nobody knows the size of its counts.
    func take(_ sample: Sample, of source: OwnedResource) { forEach(from: source) { $0.take([sample]) } }

    private func forEach(from source: OwnedResource, _ act: (Derivation) -> Void) {
        for derivation in all where derivation.presentSource == source.index { act(derivation) }
    }
}
