import Testing

@testable import Gpsd

@Suite struct GpsdAddressTests {
    @Test(
        "every way to write an address is read",
        arguments: [
            ("localhost", "localhost", UInt16(2947)), ("gps.example.org:3000", "gps.example.org", 3000),
            (":2948", "localhost", 2948), ("192.0.2.7:1", "192.0.2.7", 1), ("[::1]:65535", "::1", 65535),
            ("[fe80::1%eth0]", "fe80::1%eth0", 2947), ("::1", "::1", 2947),
        ])
    func reads(_ text: String, _ host: String, _ port: UInt16) throws {
        let address = try GpsdAddress(parsing: text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(try GpsdAddress(parsing: address.description) == address)
    }

    @Test(
        "an invalid address is refused with the specific reason",
        arguments: [
            ("", GpsdAddressError.empty), ("host:", .badPort("")), ("host:0", .badPort("0")),
            ("host:65536", .badPort("65536")), ("host:+5", .badPort("+5")), ("host:http", .badPort("http")),
            ("[::1", .openBracket("[::1")), ("[]:1", .badHost("[]:1")), ("[::1]2947", .badHost("[::1]2947")),
            ("shared memory", .badHost("shared memory")), ("a/b", .badHost("a/b")),
            ("host\u{0}", .badHost("host\u{0}")),
        ])
    func refuses(_ text: String, _ error: GpsdAddressError) {
        #expect(throws: error) { try GpsdAddress(parsing: text) }
        #expect(error.description.count > 20)
    }
}
