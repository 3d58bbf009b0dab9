import Testing

@testable import IIO

@Suite struct IIOAddressTests {
    @Test(
        "this host and an iiod are addresses",
        arguments: [
            "local:", "ip:sensors", "ip:10.0.0.7", "ip:10.0.0.7:30431", "ip:fe80::1%eth0", "ip:[::1]:30431", "ip:::1",
            "ip:[fe80::1%eth0]", "ip:[fe80::1%eth0]:30431",
        ])
    func accepts(uri: String) {
        let address = IIOAddress(uri)
        #expect(address?.description == uri)
        #expect(address?.isNetwork == (uri != "local:"))
    }

    @Test(
        "addresses that libiio would interpret differently, or not at all, are refused",
        arguments: [
            "", "local", "local:x", "ip:", "ip::30431", "ip:host:", "ip:host:0", "ip:host:65536", "ip:host:x", "ip:a b",
            "ip:host\n", "ip:[::1]:", "ip:[::1", "usb:", "xml:/etc/passwd", "ip:host/..", "ip:hóst",
            "ip:" + String(repeating: "a", count: 300),
        ])
    func refuses(uri: String) { #expect(IIOAddress(uri) == nil) }
}
