internal import Configuration
internal import Glibc
internal import Platform
internal import Readings
internal import Service
internal import ServiceManagement

/// The listening sockets: systemd's if it passed any, else our own.
enum Doors {
    /// What the administrator's `Reload` does.
    typealias Reload = (BootTime) throws(ConfigurationErrors) -> Void

    static func open(
        _ places: Places, on server: Server, to broker: Broker, _ mock: MockCalls?, reload: @escaping Reload
    ) throws(SystemError) {
        let passed = PassedSockets.take()
        guard passed.isEmpty else { return try use(passed, on: server, to: broker, mock, reload) }
        let group = RuntimeDirectory.groupID(named: "sensorbroker")
        try server.add(
            Listener(ListeningSocket(path: places.broker, mode: 0o660, groupID: group), BrokerCalls(broker)))
        try server.add(
            Listener(
                ListeningSocket(path: places.admin, mode: 0o600, groupID: nil),
                AdminCalls(broker, mock: mock, reload: reload))
        )
    }

    /// Names are the socket units' FileDescriptorName; what is neither of ours, or does not listen, is closed.
    private static func use(
        _ passed: [(name: String, number: Int32)], on server: Server, to broker: Broker,
        _ mock: MockCalls?, _ reload: @escaping Reload
    ) throws(SystemError) {
        var isServing = false
        for (name, number) in passed {
            let descriptor = Descriptor(owning: number)
            guard PassedSockets.isListening(number) else { continue }
            switch name {
            case "varlink":
                try server.add(Listener(ListeningSocket(passed: descriptor), BrokerCalls(broker)))
                isServing = true
            case "admin":
                try server.add(
                    Listener(ListeningSocket(passed: descriptor), AdminCalls(broker, mock: mock, reload: reload)))
            default: continue
            }
        }
        guard isServing else {
            throw SystemError("none of the sockets passed is named 'varlink' and listens", code: EINVAL)
        }
    }
}
