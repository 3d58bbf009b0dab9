internal import Delivery
internal import Devices
internal import Platform
internal import Readings

/// How derived resources come: when all that they follow from is served, and as far as no device measures the same.
final class DerivedArrivals {
    private let catalog: Catalog
    private let derivations: Derivations
    private let moves: ResourceMoves
    private let sink: BrokerSink
    /// What is derived from the host's motion; nil: its sensors are not there.
    private var motion: Derivation?
    /// What is derived from the accelerometers of lid and base; nil: they are not there.
    private var hinge: Derivation?
    private var hingeSources = HingeSources.byName

    init(_ catalog: Catalog, _ derivations: Derivations, _ moves: ResourceMoves, _ sink: BrokerSink) {
        (self.catalog, self.derivations, self.moves, self.sink) = (catalog, derivations, moves, sink)
    }

    /// Adds what can be derived from the resources that are served now; returns whether there is more than before.
    func add(_ now: BootTime) throws(SystemError) -> Bool {
        let before = catalog.resources.count
        try addTrackers(now)
        try addMotion(now)
        try addHinge(now)
        return catalog.resources.count > before
    }

    private func addTrackers(_ now: BootTime) throws(SystemError) {
        for kind in Kind.all where !isServed(kind) {
            guard let tracker = Tracker(kind), let source = first(kind.row.origins[0]) else { continue }
            var input = DerivationInput(source.kind)
            input.move(to: source)
            let derivation = try make(DerivedFromAcceleration(tracker), from: [input])
            serve(kind, by: derivation, now)
        }
    }

    /// The first gyroscope, with the accelerometer of its device, or else the host's first.
    private func addMotion(_ now: BootTime) throws(SystemError) {
        guard let gyroscope = first(.angularVelocity), let accelerometer = accelerometer(of: gyroscope) else { return }
        let (magnetometer, receiver) = (first(.magneticField), first(.location))
        let outputs = Kind.ofMotion.filter {
            !isServed($0) && (!$0.needsNorth || magnetometer != nil) && (!$0.needsPlace || receiver != nil)
        }
        guard !outputs.isEmpty else { return }
        if motion == nil { motion = try makeMotion(gyroscope, accelerometer) }
        guard let motion else { return }
        for (input, source) in [(MotionInput.magnetometer, magnetometer), (.receiver, receiver)] {
            if let source, motion.inputs[input].resource == nil {
                derivations.move(motion, input.rawValue, to: source.index, because: nil, sink, now)
            }
        }
        for output in outputs { serve(output, by: motion, now) }
    }

    private func makeMotion(
        _ gyroscope: OwnedResource, _ accelerometer: OwnedResource
    ) throws(SystemError) -> Derivation {
        var inputs = MotionInput.allCases.map { DerivationInput($0.kind, isRequired: $0.isRequired) }
        inputs[.gyroscope].move(to: gyroscope)
        inputs[.accelerometer].move(to: accelerometer)
        let content = DerivedMotion(
            isSimulated: gyroscope.isSimulated, isOneDevice: gyroscope.device === accelerometer.device)
        return try make(content, from: inputs)
    }

    /// These accelerometers are in lid and base from now on.
    func derive(from sources: HingeSources, _ now: BootTime) {
        hingeSources = sources
        guard let hinge else { return }
        for (position, name) in [sources.lid, sources.base].enumerated() {
            let source = name.flatMap { catalog.index(of: $0) }
            derivations.move(hinge, position, to: source, because: source == nil ? sources.absence : nil, sink, now)
        }
    }

    private func addHinge(_ now: BootTime) throws(SystemError) {
        guard hinge == nil, !isServed(.hinge), let lid = accelerometer(hingeSources.lid),
            let base = accelerometer(hingeSources.base)
        else { return }
        var inputs = [DerivationInput(.acceleration), DerivationInput(.acceleration)]
        inputs[0].move(to: lid, because: "in the lid")
        inputs[1].move(to: base, because: "in the base")
        let hinge = try make(DerivedHinge(), from: inputs)
        self.hinge = hinge
        serve(.hinge, by: hinge, now)
    }

    private func accelerometer(_ name: ResourceName?) -> OwnedResource? {
        guard let index = name.flatMap({ catalog.index(of: $0) }), catalog[index].kind == .acceleration, isThere(index)
        else { return nil }
        return catalog[index]
    }

    private func accelerometer(of gyroscope: OwnedResource) -> OwnedResource? {
        gyroscope.device?.resources.first { $0.kind == .acceleration } ?? first(.acceleration)
    }

    private func first(_ kind: Kind) -> OwnedResource? {
        catalog.index(of: kind.row.firstResource).flatMap { isThere($0) ? catalog[$0] : nil }
    }

    /// A device that may still come is not waited for: it takes the place of what is derived when it does.
    private func isServed(_ kind: Kind) -> Bool {
        catalog.index(of: kind.row.firstResource).map { isThere($0) || catalog[$0].kind != kind } ?? false
    }

    /// Whether a device or a derivation has the resource, and not only those who ask for it.
    private func isThere(_ index: ResourceIndex) -> Bool {
        switch catalog.device(of: index).source {
        case .thread, .program, .derivation: true
        case .awaited, .vacant: false
        }
    }

    private func make(
        _ content: some DerivedContent, from inputs: [DerivationInput]
    ) throws(SystemError) -> Derivation {
        let index = DerivationIndex(derivations.all.count)
        let isSimulated = inputs[0].resource.map { catalog[$0].isSimulated } ?? false
        let source = ServedDevice.Source.derivation { [unowned self] demand, now in
            derivations.follow(demand, index, to: sink, now)
        }
        let channel = try DeviceChannel(flag: derivations.events)
        let device = ServedDevice(channel, from: source, isSimulated: isSimulated)
        let derivation = Derivation(content, from: inputs, at: index, as: device)
        derivations.add(derivation)
        return derivation
    }

    private func serve(_ kind: Kind, by derivation: Derivation, _ now: BootTime) {
        let device = derivation.device
        func configure(_ resource: OwnedResource) {
            catalog.applyPolicy(to: resource, of: device)
            _ = resource.core.accept(device.core.state(of: resource))
            derivation.sendState()
        }
        // Whoever asked for it while no program provided it asks the derivation now.
        if let vacant = catalog.index(of: kind.row.firstResource).map({ catalog[$0] }) {
            return moves.move(vacant, to: device, now) { configure(vacant) }
        }
        let resource = OwnedResource(Resource(name: kind.row.firstResource, kind: kind), at: catalog.nextIndex)
        device.core.adopt(resource)
        catalog.add(resource, of: device)
        configure(resource)
    }
}
