import Programs
import TestTools
import Testing

@testable import MQTT

@Suite struct CredentialTests {
    @Test("a name is a credential of the unit, a path is a file, and each has to be readable")
    func paths() throws {
        let directory = try TemporaryDirectory()
        let path = directory.write("secret", to: "host.key")
        #expect(try Credential.path(path, "Key", credentials: nil) == path)
        #expect(try Credential.path("host.key", "Key", credentials: directory.path) == path)
        for (name, credentials, words) in [
            ("host.key", nil, "there are no credentials: add LoadCredential=host.key:"),
            ("other.key", directory.path, "or give it with LoadCredential="),
            ("/nowhere/host.key", nil, "make it a file that the program's user may read"),
        ] as [(String, String?, String)] {
            do {
                _ = try Credential.path(name, "Key", credentials: credentials)
                Issue.record("\(name) was accepted")
            } catch {
                #expect(error.status == .configuration && error.description.contains(words), "\(error)")
            }
        }
    }
}
