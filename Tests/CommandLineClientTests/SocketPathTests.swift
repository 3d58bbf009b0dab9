import Testing

@testable import CommandLineClient

@Suite struct SocketPathTests {
    @Test("the option wins over the environment, and either over the known places")
    func precedence() {
        let environment = Environment(socket: "/env", runtimeDirectory: "/run/user/1")
        #expect(SocketPath.candidates(option: "/option", environment) == ["/option"])
        #expect(SocketPath.candidates(option: nil, environment) == ["/env"])
    }

    @Test("the system's broker comes before the user's own")
    func places() {
        let environment = Environment(socket: nil, runtimeDirectory: "/run/user/1")
        #expect(
            SocketPath.candidates(option: nil, environment) == [
                "/run/sensorbroker/io.sensorbroker.Broker", "/run/user/1/sensorbroker/io.sensorbroker.Broker",
            ])
        #expect(SocketPath.candidates(option: nil, Environment()) == ["/run/sensorbroker/io.sensorbroker.Broker"])
    }

    @Test("the administrator's socket is beside the broker's")
    func admin() {
        #expect(SocketPath.admin(besideBroker: "/a/b/io.sensorbroker.Broker") == "/a/b/io.sensorbroker.Admin")
        #expect(SocketPath.admin(besideBroker: "x") == "io.sensorbroker.Admin")
    }
}
