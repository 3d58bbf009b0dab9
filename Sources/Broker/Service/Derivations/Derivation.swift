internal import Delivery
internal import Devices
internal import Motion
internal import Readings

/// Makes resources from the readings of others: the orientation from an accelerometer, the attitude from that and a gyroscope.
///
/// A derivation plays two parts: it is a client of its inputs, in a lane of each, and the device that owns the derived
/// resources, reporting samples and states through a channel. So everything else works as for any resource. It has no thread:
/// what follows from a turn's readings follows in that turn.
final class Derivation {
    let index: DerivationIndex
    let device: ServedDevice
    private(set) var inputs: [DerivationInput]
    private let content: any DerivedContent
    /// What those want who ask for what is derived; nil: nobody asks.
    private var demand: Demand?
    private var intake = Intake()
    /// Whether it has sent a sample since the last restart.
    private var hasSent = false
    /// Whether nothing was taken since the last restart.
    private var isFresh = false
    private var sentState: ResourceState?
    private var sentProfile: DeviceProfile?
    private var sentWithheld = Withheld()

    /// A derivation of which nobody has asked anything yet.
    init(
        _ content: some DerivedContent, from inputs: [DerivationInput], at index: DerivationIndex,
        as device: ServedDevice
    ) {
        self.content = content
        self.inputs = inputs
        self.index = index
        self.device = device
        sendProfile()
    }

    private var channel: DeviceChannel { device.channel }

    /// The derivation as a member of its inputs' lanes.
    var client: Client { .derivation(index) }

    // MARK: its inputs

    /// Why nothing can be derived; nil: something can.
    var absence: String? { inputs.first { $0.isRequired && $0.absence != nil }?.absence }

    /// Why nothing can follow from its inputs, although all are there; nil: something can.
    var flaw: String? { absence == nil ? content.flaw(in: inputs) : nil }

    /// Where among the inputs a resource is; nil: it is none of them.
    func position(of resource: ResourceIndex) -> Int? { inputs.firstIndex { $0.resource == resource } }

    /// An input is this resource from now on, or none; the caller has left the former one.
    ///
    /// What was derived from that is void.
    func move(_ position: Int, to source: OwnedResource?, because reason: String?) {
        let isOther = source?.index != inputs[position].resource
        inputs[position].move(to: source, because: reason)
        if isOther, hasSent, inputs[position].isRequired { channel.send(.replaced) }
        sendProfile()
        if absence != nil { sendState() }
    }

    /// The device of an input has reported something of itself.
    func learn(from source: OwnedResource, at position: Int) {
        guard inputs[position].learn(from: source) else { return }
        sendProfile()
        sendState()
    }

    /// This is known of the errors of an input now.
    func calibrate(_ errors: SensorErrors, celsius: @autoclosure () -> Double?, at position: Int) {
        guard errors != inputs[position].errors else { return }
        inputs[position].errors = errors
        inputs[position].celsius = celsius()
        content.calibrate(inputs)
        if isReading { restart() }
        sendProfile()
        sendState()
    }

    // MARK: as a client of its inputs

    var isWanted: Bool { demand != nil }

    /// Whether it reads all that it cannot do without.
    var isReading: Bool { inputs.allSatisfy { !$0.isRequired || $0.grant != nil } }

    /// Those who ask want it so; nil: nobody asks.
    func want(_ demand: Demand?) {
        self.demand = demand
        if let demand { content.want(demand) }
        sendProfile()
    }

    /// What it wants of an input, whose resource is given; nil: nothing.
    func wantedGrant(of source: OwnedResource, at position: Int) -> Grant? {
        guard absence == nil else { return nil }
        return demand.flatMap { content.grant(of: source, at: position, for: $0) }
    }

    func join(_ source: OwnedResource, at position: Int, _ grant: Grant, to sink: some Sink, _ now: BootTime) {
        inputs[position].grant = grant
        _ = inputs[position].learn(from: source)
        sendProfile()
        source.join(client, grant, inheriting: nil, to: sink, now: now)
    }

    func leave(_ source: OwnedResource, at position: Int, to sink: some Sink, _ now: BootTime) {
        inputs[position].grant = nil
        _ = source.leave(client, to: sink, now: now)
    }

    /// The bias that it has learnt of its first input, a gyroscope; nil: none, or nothing certain.
    var learnt: Motion.GyroscopeBias? { content.learnt }

    /// Whether it may learn more of that.
    var isLearning: Bool { isWanted && inputs[0].kind == .angularVelocity }

    /// Why nothing follows from most readings of its input; nil: something may follow from any.
    var ground: Indifference.Ground? { content.ground(inputs) }

    /// Whether it needs to know the size of an input's counts.
    var needsScale: Bool { content.needsScale }

    // MARK: as a device

    private func sendProfile() {
        var profile = DeviceProfile(
            offered: content.offered(inputs),
            intervalNanoseconds: demand.flatMap { content.intervalNanoseconds(inputs, for: $0) },
            description: "from \(content.origin(inputs))", simulated: device.core.isSimulated)
        sentWithheld = content.withheld(inputs)
        for kind in Kind.all { profile.withheld[Quantity(kind)] = sentWithheld.reason(of: kind) }
        guard profile != sentProfile else { return }
        sentProfile = profile
        channel.send(.profile(profile))
    }

    /// The samples of a required input count from 0 again: what was known no longer applies.
    func restart() {
        guard !isFresh else { return }
        isFresh = true
        content.restart()
        hasSent = false
        intake.restart()
        channel.send(.opened)
        sendState()
    }

    /// Takes readings of an input, and what was lost of it; what comes while nothing can follow, since another input is gone or does not
    /// fit, is dropped.
    func take(_ readings: SampleList, _ gaps: [Gap] = [], of position: Int) {
        if sentState?.isAvailable == false { return }
        isFresh = false
        content.take(readings, gaps, of: position, inputs)
    }

    /// Whether something was taken from which nothing has been made yet.
    var hasPending: Bool { content.hasPending }

    /// All that came in a turn has been taken: sends what follows.
    func conclude() {
        guard content.hasPending else { return }
        // Each turn comes here, so profile and state are looked at only if something changes them.
        let wasSettled = content.isSettled
        content.conclude(into: &intake)
        if content.withheld(inputs) != sentWithheld { sendProfile() }
        if content.isSettled, !wasSettled { sendState() }
        hasSent = hasSent || !intake.events.isEmpty
        channel.send(&intake)
        if wasSettled, !content.isSettled { sendState() }
    }

    /// An attempt to use an input failed.
    func fail(_ reason: String) { channel.send(.failed(reason: reason)) }

    func follow(_ state: ResourceState, of position: Int) {
        inputs[position].state = state
        sendState()
    }

    /// Sends the state that follows from those of the required inputs, of which the worst counts; what nobody asks for is idle.
    func sendState() {
        let state = state
        guard state != sentState else { return }
        sentState = state
        device.setReleased(state == .released)
        channel.send(.state(state))
        if isWanted, let flaw, state == .unavailable(reason: flaw) { fail(flaw) }
    }

    private var state: ResourceState {
        if let absence { return .unavailable(reason: absence) }
        let required = inputs.filter(\.isRequired)
        for input in required {
            if case .unavailable(let reason) = input.state {
                return .unavailable(reason: required.count > 1 ? "\(input.origin): \(reason)" : reason)
            }
        }
        if required.contains(where: { $0.state == .released }) { return .released }
        if let flaw = content.flaw(in: inputs) { return .unavailable(reason: flaw) }
        guard isWanted else { return .idle }
        if required.contains(where: { [.idle, .warm, .starting].contains($0.state) }) { return .starting }
        for input in required { if case .stale = input.state { return input.state } }
        return content.isSettled ? .active : .starting
    }
}
