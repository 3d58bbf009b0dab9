internal import Glibc
internal import Platform
internal import Service
internal import ServiceManagement

/// The listening sockets: systemd's if it passed any, else our own.
struct Doors {
    private let calls: BrokerCalls
    private let administration: AdminCalls

    /// Doors behind which these answer.
    init(_ calls: BrokerCalls, _ administration: AdminCalls) {
        self.calls = calls
        self.administration = administration
    }

    func open(_ places: Places, passed: [(name: String, number: Int32)], on server: Server) throws(SystemError) {
        guard passed.isEmpty else { return try use(passed, on: server) }
        let group = RuntimeDirectory.groupID(named: "sensorbroker")
        try server.add(Listener(ListeningSocket(path: places.broker, mode: 0o660, groupID: group), calls))
        try server.add(Listener(ListeningSocket(path: places.admin, mode: 0o600, groupID: nil), administration))
    }

    /// Names are the socket units' FileDescriptorName; what is neither of ours, or does not listen, is closed.
    private func use(_ passed: [(name: String, number: Int32)], on server: Server) throws(SystemError) {
        var isServing = false
        for (name, number) in passed {
            let descriptor = Descriptor(owning: number)
            guard PassedSockets.isListening(number) else { continue }
            switch name {
            case "varlink":
                try server.add(Listener(ListeningSocket(passed: descriptor), calls))
                isServing = true
            case "admin": try server.add(Listener(ListeningSocket(passed: descriptor), administration))
            default: continue
            }
        }
        guard isServing else {
            throw SystemError("none of the sockets passed is named 'varlink' and listens", code: EINVAL)
        }
    }
}
