import BrokerClient
import Testing

@Suite struct SocketPathTests {
    @Test("a path that is named is the only place")
    func named() {
        #expect(SocketPath.candidates(named: "/named", userRuntimeDirectory: "/run/user/1") == ["/named"])
    }

    @Test("the system's broker comes before the user's own")
    func places() {
        #expect(
            SocketPath.candidates(named: nil, userRuntimeDirectory: "/run/user/1") == [
                "/run/sensorbroker/io.sensorbroker.Broker", "/run/user/1/sensorbroker/io.sensorbroker.Broker",
            ])
        let known = SocketPath.candidates(named: nil, userRuntimeDirectory: nil)
        #expect(known == ["/run/sensorbroker/io.sensorbroker.Broker"])
    }

    @Test("the administrator's socket is beside the broker's")
    func admin() {
        #expect(SocketPath.admin(besideBroker: "/a/b/io.sensorbroker.Broker") == "/a/b/io.sensorbroker.Admin")
        #expect(SocketPath.admin(besideBroker: "x") == "io.sensorbroker.Admin")
    }
}
