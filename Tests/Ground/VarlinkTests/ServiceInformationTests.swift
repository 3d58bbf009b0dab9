import Testing
import Varlink

@Suite struct ServiceInformationTests {
    private let service = ServiceInformation(
        vendor: "V", product: "P", version: "1", url: "https://example.org", interfaces: [.broker, .admin])

    /// The reply to a call; nil where the service leaves it to the interface.
    private func reply(_ call: Call) throws -> Reply? {
        var writer = JSONWriter()
        guard service.answer(call, into: &writer) else { return nil }
        return try Reply(parsing: writer.bytes.dropLast())
    }

    @Test("GetInfo describes the service and lists all its interfaces")
    func getInfo() throws {
        #expect(
            try reply(Call("org.varlink.service.GetInfo"))
                == .success(
                    Parameters([
                        "vendor": "V", "product": "P", "version": "1", "url": "https://example.org",
                        "interfaces": ["org.varlink.service", "io.sensorbroker.Broker", "io.sensorbroker.Admin"],
                    ]), continues: false))
    }

    @Test(
        "GetInterfaceDescription gives the text of each interface",
        arguments: [.service, .broker, .admin] as [InterfaceDescription])
    func getInterfaceDescription(interface: InterfaceDescription) throws {
        let call = Call(
            "org.varlink.service.GetInterfaceDescription", parameters: ["interface": .string(interface.name)])
        #expect(
            try reply(call) == .success(Parameters(["description": .string(interface.text)]), continues: false))
    }

    private static let refused: [(Call, VarlinkError)] = [
        (Call("a.b.C"), .interfaceNotFound("a.b")), (Call("C"), .interfaceNotFound("")),
        (Call("io.sensorbroker.Broker.Nothing"), .methodNotFound("io.sensorbroker.Broker.Nothing")),
        (Call("io.sensorbroker.Broker."), .methodNotFound("io.sensorbroker.Broker.")),
        (Call("org.varlink.service.getinfo"), .methodNotFound("org.varlink.service.getinfo")),
        (Call("org.varlink.service.GetInfo", parameters: ["x": 1]), .invalidParameter("x")),
        (Call("org.varlink.service.GetInterfaceDescription"), .invalidParameter("interface")),
        (
            Call("org.varlink.service.GetInterfaceDescription", parameters: ["interface": 1]),
            .invalidParameter("interface")
        ),
        (
            Call("org.varlink.service.GetInterfaceDescription", parameters: ["interface": "a.b"]),
            .interfaceNotFound("a.b")
        ),
        (
            Call("io.sensorbroker.Broker.Read", mode: .upgrade),
            .methodNotImplemented("io.sensorbroker.Broker.Read")
        ),
    ]

    @Test("unknown interfaces and methods are refused with their errors", arguments: refused)
    func refuses(call: Call, error: VarlinkError) throws {
        #expect(try reply(call) == .failure(error))
    }

    @Test("a method that an interface declares is left to it")
    func leaves() throws {
        #expect(try reply(Call("io.sensorbroker.Broker.Read")) == nil)
        #expect(try reply(Call("io.sensorbroker.Admin.Reload", mode: .oneway)) == nil)
    }

    @Test(
        "a oneway call gets no reply, not even an error", arguments: ["org.varlink.service.GetInfo", "a.b.C"])
    func oneway(method: String) {
        var writer = JSONWriter()
        #expect(service.answer(Call(method, mode: .oneway), into: &writer))
        #expect(writer.bytes.isEmpty)
    }
}
