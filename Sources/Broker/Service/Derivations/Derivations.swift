internal import Delivery
internal import Devices
internal import Readings

/// The derived resources, and how they follow their inputs.
final class Derivations {
    /// By their indices, which they keep.
    // Each reading for a derivation looks for it here, so this is only assigned (`Array.adding`).
    private(set) var all: [Derivation] = []
    /// Whether one of them has taken or sent something.
    let events = LoopFlag()
    private let catalog: Catalog
    private let calibrations: Calibrations
    /// When what was learnt is stored next; nil: nothing is learnt.
    private(set) var storesAt: BootTime?

    private static let storingNanoseconds: Int64 = 600_000_000_000

    init(_ catalog: Catalog, _ calibrations: Calibrations) {
        (self.catalog, self.calibrations) = (catalog, calibrations)
    }

    subscript(index: DerivationIndex) -> Derivation { all[index.number] }

    func add(_ derivation: Derivation) {
        assert(derivation.index.number == all.count, "a derivation has an index of its own")
        all = all.adding(derivation)
    }

    // MARK: what is wanted of inputs

    /// The first client has asked for a derived resource, the last one has gone, or another interval is enough for all.
    func follow(_ demand: Demand?, _ index: DerivationIndex, to sink: BrokerSink, _ now: BootTime) {
        let derivation = self[index]
        let wasReading = derivation.isReading
        derivation.want(demand)
        if let reason = derivation.absence {
            // Calls that wait for a reading are answered.
            if demand != nil { derivation.fail(reason) }
            return
        }
        if demand != nil, !wasReading { derivation.restart() }
        if derivation.isLearning, storesAt == nil { storesAt = now + Self.storingNanoseconds }
        for position in derivation.inputs.indices { settle(derivation, position, to: sink, now) }
        derivation.sendState()
        if demand != nil, let flaw = derivation.flaw { derivation.fail(flaw) }
    }

    /// An input of a derivation is read as this now wants it, or not at all.
    private func settle(_ derivation: Derivation, _ position: Int, to sink: BrokerSink, _ now: BootTime) {
        let input = derivation.inputs[position]
        guard let resource = input.resource else { return }
        let source = catalog[resource]
        derivation.calibrate(calibrations.errors(of: source), celsius: source.celsius(now), at: position)
        // Before it joins, since it takes nothing while, by its state, nothing follows.
        derivation.follow(state(of: source, for: derivation), of: position)
        let wanted = derivation.wantedGrant(of: source, at: position)
        if wanted != input.grant {
            if input.grant != nil { derivation.leave(source, at: position, to: sink, now) }
            if let wanted { derivation.join(source, at: position, wanted, to: sink, now) }
            catalog.device(of: resource).core.settle(to: sink, now: now)
        }
        derivation.follow(state(of: source, for: derivation), of: position)
    }

    /// What follows from a kind follows from this resource from now on, or from none.
    func derive(from source: DerivationSource, to sink: BrokerSink, _ now: BootTime) {
        // Only how the screen is held depends on where in a device a sensor is.
        for derivation in all where derivation.inputs.count == 1 && derivation.inputs[0].kind == source.kind {
            let input = source.name.flatMap { catalog.index(of: $0) }
            let reason = input == nil ? source.name.map { "\($0) is not served" } ?? source.reason : source.reason
            move(derivation, 0, to: input, because: reason, sink, now)
        }
    }

    /// An input of a derivation is this resource from now on, or none.
    func move(
        _ derivation: Derivation, _ position: Int, to resource: ResourceIndex?, because reason: String?,
        _ sink: BrokerSink, _ now: BootTime
    ) {
        let former = derivation.inputs[position]
        if let former = former.resource, former != resource, derivation.inputs[position].grant != nil {
            derivation.leave(catalog[former], at: position, to: sink, now)
            catalog.device(of: former).core.settle(to: sink, now: now)
        }
        derivation.move(position, to: resource.map { catalog[$0] }, because: reason)
        follow(derivation.device.core.demand, derivation.index, to: sink, now)
        if let resource { follow(catalog[resource]) }
    }

    // MARK: what is learnt of inputs

    /// Stores what was learnt, as far as that is worth it; `isLast`: this process ends.
    func storeLearnt(now: BootTime, isLast: Bool = false) {
        for derivation in all {
            guard let bias = derivation.learnt, let resource = derivation.inputs[0].resource else { continue }
            calibrations.learnt.learn(bias, of: catalog[resource], now: now, isLast: isLast)
        }
        storesAt = all.contains(where: \.isLearning) ? now + Self.storingNanoseconds : nil
    }

    // MARK: what inputs report

    /// The capabilities of an input have changed.
    func regrant(from source: OwnedResource, to sink: BrokerSink, _ now: BootTime) {
        forEach(from: source) { derivation, position in
            derivation.learn(from: source, at: position)
            settle(derivation, position, to: sink, now)
        }
    }

    /// The calibration of an input has changed.
    func calibrate(_ source: OwnedResource, to sink: BrokerSink, _ now: BootTime) {
        forEach(from: source) { derivation, position in settle(derivation, position, to: sink, now) }
    }

    /// An input's samples count from 0 again.
    func restart(from source: OwnedResource) {
        forEach(from: source) { derivation, position in
            if derivation.inputs[position].isRequired { derivation.restart() }
        }
    }

    /// An input could not be used.
    func fail(from source: OwnedResource, reason: String) {
        forEach(from: source) { derivation, position in
            if derivation.inputs[position].isRequired { derivation.fail(reason) }
        }
    }

    /// The state of an input has changed.
    func follow(_ source: OwnedResource) {
        forEach(from: source) { derivation, position in
            derivation.follow(state(of: source, for: derivation), of: position)
        }
    }

    /// Readings of an input, and what was lost of it.
    func take(
        _ readings: SampleList, _ gaps: [Gap] = [], of source: OwnedResource, for index: DerivationIndex
    ) {
        let derivation = self[index]
        guard let position = derivation.position(of: source.index) else { return }
        derivation.take(readings, gaps, of: position)
        if derivation.hasPending { events.set() }
    }

    /// A sample of an input whose clients get none, since nobody knows the size of its counts.
    func take(_ sample: Sample, of source: OwnedResource) {
        forEach(from: source) { derivation, position in
            guard !derivation.needsScale else { return }
            derivation.take([sample], of: position)
            if derivation.hasPending { events.set() }
        }
    }

    private func state(of source: OwnedResource, for derivation: Derivation) -> ResourceState {
        let device = catalog.device(of: source.index).core
        return derivation.needsScale ? device.state(of: source) : device.sourceState(of: source)
    }

    private func forEach(from source: OwnedResource, _ act: (Derivation, Int) -> Void) {
        for derivation in all {
            if let position = derivation.position(of: source.index) { act(derivation, position) }
        }
    }
}
