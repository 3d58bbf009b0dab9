internal import Glibc
internal import Platform
internal import Readings
internal import Service

/// The listening sockets: systemd's if it passed any, else our own.
///
/// A socket `varlink` may also be a client's, already connected: so starts who runs a Varlink service for himself alone, as
/// `varlinkctl` does with `exec:`.
struct Doors {
    private let calls: BrokerCalls
    private let administration: AdminCalls

    /// Doors behind which these answer.
    init(_ calls: BrokerCalls, _ administration: AdminCalls) {
        self.calls = calls
        self.administration = administration
    }

    /// Returns whether further clients can come.
    func open(
        _ places: InstancePaths, passed: [(name: String, number: Int32)], on server: Server, now: BootTime
    ) throws(SystemError) -> Bool {
        guard passed.isEmpty else { return try use(passed, on: server, now) }
        let group = Accounts.groupID(named: "sensorbroker")
        try server.add(Listener(ListeningSocket(path: places.broker, mode: 0o660, groupID: group), calls))
        try server.add(Listener(ListeningSocket(path: places.admin, mode: 0o600, groupID: nil), administration))
        return true
    }

    /// Names are the socket units' FileDescriptorName; what is neither of ours is closed.
    private func use(
        _ passed: [(name: String, number: Int32)], on server: Server, _ now: BootTime
    ) throws(SystemError) -> Bool {
        var isListening = false
        var hasClient = false
        for (name, number) in passed {
            let descriptor = Descriptor(owning: number)
            switch (name, PassedSockets.isListening(number)) {
            case ("varlink", true):
                try server.add(Listener(ListeningSocket(passed: descriptor), calls))
                isListening = true
            case ("admin", true): try server.add(Listener(ListeningSocket(passed: descriptor), administration))
            case ("varlink", false) where PassedSockets.isConnected(number):
                server.admit(UnixSocket(descriptor), calls, now: now)
                hasClient = true
            default: continue
            }
        }
        guard isListening || hasClient else {
            throw SystemError("none of the sockets passed is named 'varlink' and listens or is connected", code: EINVAL)
        }
        return isListening
    }
}
