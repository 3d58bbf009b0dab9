import Foundation
import Testing
import Varlink

@Suite struct InterfaceDescriptionTests {
    private static let descriptions: [InterfaceDescription] = [.service, .broker, .admin, .feed, .mock, .metrics]

    @Test("the served definition is the file, byte for byte", arguments: descriptions)
    func file(description: InterfaceDescription) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/Ground/Varlink/Interfaces")
        let file = try Data(contentsOf: folder.appending(path: description.name + ".varlink"))
        #expect(bytes(description.text) == Array(file))
    }

    @Test("the name and the methods are those of the definition")
    func declared() {
        #expect(InterfaceDescription.service.name == "org.varlink.service")
        #expect(InterfaceDescription.service.methods == ["GetInfo", "GetInterfaceDescription"])
        #expect(InterfaceDescription.broker.name == "io.sensorbroker.Broker")
        #expect(InterfaceDescription.broker.methods == ["ListResources", "Read", "Subscribe", "Modify"])
        #expect(
            InterfaceDescription.admin.methods == [
                "GetStatus", "Release", "Reacquire", "Reload", "DisconnectClient", "GetCalibrations", "SetCalibration",
                "ForgetCalibration",
            ])
    }

    @Test("a comment declares nothing")
    func comments() {
        let description = InterfaceDescription(
            definition: "# interface x.y\ninterface a.b\n# method No()\nmethod Yes() -> ()")
        #expect(description.name == "a.b")
        #expect(description.methods == ["Yes"])
    }
}
