import Platform
import Testing

@Suite("The version of a kernel") struct KernelVersionTests {
    @Test(
        "is its first two numbers, whatever a vendor adds",
        arguments: [
            ("5.4.0", "5.4"), ("5.10.110-rockchip-rk3588", "5.10"), ("6.12.25+rpt-rpi-v8", "6.12"),
            ("4.9-tegra", "4.9"),
            ("6.1", "6.1"), ("7.0-rc1", "7.0"),
        ])
    func read(release: String, version: String) { #expect(KernelVersion(release: release)?.description == version) }

    @Test("is unknown where there are no two numbers", arguments: ["", "6", "6.", ".1", "linux-6.1", "six.one"])
    func unknown(release: String) { #expect(KernelVersion(release: release) == nil) }

    @Test("is compared number by number")
    func order() throws {
        let versions = try ["4.19.0", "5.4.0", "5.10.0", "6.1.0"].map { try #require(KernelVersion(release: $0)) }
        #expect(versions == versions.shuffled().sorted())
        #expect(versions.count { $0 < .oldest } == 1)
    }

    @Test("is known of this host")
    func current() throws { #expect(try #require(KernelVersion.current()) >= .oldest) }
}
