import Testing

@testable import Platform

@Suite("The loopback's names") struct LoopbackTests {
    @Test(
        "are localhost and the names below it",
        arguments: ["localhost", "LocalHost", "localhost.", "gps.localhost", "a.b.localhost."])
    func names(_ host: String) throws {
        #expect(Loopback.isName(host))
        // No resolver is asked, so it needs no time, and no /etc/hosts.
        let found = try TCPEndpoint.resolve(host, port: 7, withinNanoseconds: 0)
        #expect(found.map(\.host) == Loopback.addresses && found.allSatisfy { $0.port == 7 && $0.isThisHost })
    }

    @Test(
        "are no others",
        arguments: ["", ".", "localhost.example", "notlocalhost", ".localhost", "localhost..", "127.0.0.1"])
    func others(_ host: String) { #expect(!Loopback.isName(host)) }
}
