import BrokerClient
import Testing

@Suite struct SocketPathTests {
    @Test("a given path is the only candidate")
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

    @Test("the administrator's socket is beside the broker's, with its suffix")
    func admin() {
        #expect(SocketPath.admin(besideBroker: "/a/b/io.sensorbroker.Broker") == "/a/b/io.sensorbroker.Admin")
        #expect(SocketPath.admin(besideBroker: "/a/io.sensorbroker.Broker.two") == "/a/io.sensorbroker.Admin.two")
        #expect(SocketPath.admin(besideBroker: "io.sensorbroker.Broker.two") == "io.sensorbroker.Admin.two")
        #expect(SocketPath.admin(besideBroker: "/a/io.sensorbroker.Admin.two") == "/a/io.sensorbroker.Admin.two")
    }

    @Test("so is the socket for providers")
    func feed() {
        #expect(SocketPath.feed(besideBroker: "/a/io.sensorbroker.Broker.two") == "/a/io.sensorbroker.Feed.two")
        #expect(SocketPath.feed(besideBroker: "/a/io.sensorbroker.Feed") == "/a/io.sensorbroker.Feed")
        #expect(SocketPath.feed(besideBroker: "/a/io.sensorbroker.Admin") == "/a/io.sensorbroker.Feed")
    }

    @Test("a socket with another name has no instance")
    func unknownAdmin() {
        for path in ["x", "/a/io.sensorbroker.Brokers", "/a/sensors.sock", "", "/io.sensorbroker.Broker/"] {
            #expect(SocketPath.admin(besideBroker: path) == nil && SocketPath.feed(besideBroker: path) == nil)
        }
    }

    @Test("an instance has a suffix in each place")
    func instance() {
        #expect(
            SocketPath.candidates(named: nil, instance: "two", userRuntimeDirectory: "/run/user/1") == [
                "/run/sensorbroker/io.sensorbroker.Broker.two",
                "/run/user/1/sensorbroker/io.sensorbroker.Broker.two",
            ])
        #expect(SocketPath.isInstance("two-2") && !SocketPath.isInstance("") && !SocketPath.isInstance("../x"))
        #expect(!SocketPath.isInstance("Two") && !SocketPath.isInstance(String(repeating: "x", count: 33)))
    }
}
