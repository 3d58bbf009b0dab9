internal import Delivery
internal import Devices
internal import Readings

/// Checks what concerns a device as a whole: the demand on it, and which of its resources are in use; each resource has
/// an auditor of its own for the rest.
final class DeviceAudit {
    private let auditors: [Auditor]
    private var arbitration: ArbitrationAudit
    private var profile: DeviceProfile?
    private var state = ResourceState.idle
    private var lateDeadlines = 0
    private var now: Int64 = 0

    init(_ device: DeviceTraits, trace: ((String) -> Void)?) {
        auditors = device.kinds.enumerated().map { index, kind in
            Auditor(device, kind, isFirst: index == 0, trace: trace)
        }
        arbitration = ArbitrationAudit(timerLateness: device.timerLateness)
    }

    /// The auditor of the resource of an index.
    subscript(index: Int) -> Auditor { auditors[index] }

    var violation: Violation? { auditors.lazy.compactMap(\.violation).first }
    var checks: Int { auditors.reduce(0) { $0 + $1.checks } }
    var readings: Int { auditors.reduce(0) { $0 + $1.readings } }

    func beginTurn(_ now: BootTime, afterSleep: Bool = false) {
        self.now = now.nanoseconds
        if afterSleep { arbitration.sleep(until: self.now) }
        for auditor in auditors { auditor.beginTurn(now, afterSleep: afterSleep) }
    }

    func observe(_ event: DeviceEvent, _ now: BootTime) {
        if case .profile(let profile) = event { self.profile = profile }
        if case .state(let state) = event { self.state = state }
        noteInterest()
        for auditor in auditors { auditor.observe(event, now) }
    }

    /// A client may have come or gone.
    func willSettle() { noteInterest() }

    private func noteInterest() {
        let wanted = auditors.map(\.isWanted)
        for (index, auditor) in auditors.enumerated() {
            let isForOthers = wanted.indices.contains { $0 != index && wanted[$0] }
            auditor.note(isDeviceForOthers: isForOthers)
        }
    }

    func endTurn(_ demand: Demand?, deadline: BootTime?) {
        noteInterest()
        let wishes = auditors.map { (kind: $0.kind, grants: $0.clients.values.map(\.grant), reads: $0.readCount) }
        let fault = arbitration.check(demand, wishes, profile, now: now)
        auditors[0].expect(fault == nil, .arbitration, fault ?? "")
        for auditor in auditors { auditor.checkState(ofDevice: state) }
        lateDeadlines = deadline.map { $0.nanoseconds <= now } ?? false ? lateDeadlines + 1 : 0
        auditors[0].expect(lateDeadlines < 2, .deadline, "asked for \(String(describing: deadline)) again")
    }
}
