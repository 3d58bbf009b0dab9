internal import Glibc
internal import Platform
internal import Readings
internal import Service

/// The listening sockets: those that systemd passed, or else our own.
///
/// A socket named `varlink` may also be connected to a client already, as when a user runs a Varlink service for one
/// client, such as by `varlinkctl` with `exec:`.
struct DaemonSockets {
    private let calls: BrokerCalls
    private let administration: AdminCalls
    private let feeds: FeedCalls

    init(_ calls: BrokerCalls, _ administration: AdminCalls, _ feeds: FeedCalls) {
        self.calls = calls
        self.administration = administration
        self.feeds = feeds
    }

    /// Opens the sockets; returns whether further clients can connect.
    func open(
        _ paths: InstancePaths, passed: [(name: String, number: Int32)], on server: Server, now: BootTime
    ) throws(SystemError) -> Bool {
        guard passed.isEmpty else { return try use(passed, on: server, now) }
        let group = Accounts.groupID(named: "sensorbroker")
        try server.clients.add(Listener(ListeningSocket(path: paths.broker, mode: 0o660, groupID: group), calls))
        try server.clients.add(Listener(ListeningSocket(path: paths.admin, mode: 0o600, groupID: nil), administration))
        let providers = Accounts.groupID(named: "sensorbroker-feed")
        try server.clients.add(Listener(ListeningSocket(path: paths.feed, mode: 0o660, groupID: providers), feeds))
        return true
    }

    /// The names are FileDescriptorName of the socket units; sockets with other names are closed.
    private func use(
        _ passed: [(name: String, number: Int32)], on server: Server, _ now: BootTime
    ) throws(SystemError) -> Bool {
        var isListening = false
        var hasClient = false
        for (name, number) in passed {
            let descriptor = Descriptor(owning: number)
            switch (name, PassedSockets.isListening(number)) {
            case ("varlink", true):
                try server.clients.add(Listener(ListeningSocket(passed: descriptor), calls))
                isListening = true
            case ("admin", true): try server.clients.add(Listener(ListeningSocket(passed: descriptor), administration))
            case ("feed", true): try server.clients.add(Listener(ListeningSocket(passed: descriptor), feeds))
            case ("varlink", false) where PassedSockets.isConnected(number):
                server.clients.admit(UnixSocket(descriptor), calls, now: now)
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
