import Testing

@testable import Platform

@Suite("The sources of memory pressure") struct MemoryPressureSourceTests {
    private func candidates(_ environment: [String: String], _ groups: String? = nil) -> [MemoryPressureSource] {
        MemoryPressureSource.candidates({ environment[$0] }, controlGroups: groups)
    }

    @Test("are those of the service manager, with the trigger to write")
    func protocolOfSystemd() {
        let sources = candidates(
            ["MEMORY_PRESSURE_WATCH": "/run/x", "MEMORY_PRESSURE_WRITE": "c29tZSAyMDAwMDAgMjAwMDAwMAA="], "0::/a\n")
        #expect(sources == [MemoryPressureSource(path: "/run/x", trigger: Array("some 200000 2000000\0".utf8))])
        #expect(candidates(["MEMORY_PRESSURE_WATCH": "/run/x"]).map(\.trigger) == [[]])
    }

    @Test("are none if the service manager forbids it")
    func forbidden() { #expect(candidates(["MEMORY_PRESSURE_WATCH": "/dev/null"], "0::/a\n") == []) }

    @Test("is else the own control group, and then the host")
    func kernel() {
        let groups = "12:cpu:/b\n1:name=systemd:/c\n0::/system.slice/x.service\n"
        let own = candidates([:], groups)
        #expect(
            own.map(\.path) == [
                "/sys/fs/cgroup/system.slice/x.service/memory.pressure", "/proc/pressure/memory",
            ])
        #expect(own.allSatisfy { $0.trigger == MemoryPressureSource.usualTrigger })
        for groups in [nil, "", "0::/\n", "4:memory:/x\n", "0::relative"] {
            #expect(candidates([:], groups).map(\.path) == ["/proc/pressure/memory"])
        }
        #expect(candidates(["MEMORY_PRESSURE_WATCH": "relative"]).map(\.path) == ["/proc/pressure/memory"])
    }

    @Test(
        "base64 is decoded, with and without padding",
        arguments: [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar"), ("+/+/", nil)])
    func base64(text: String, decoded: String?) {
        let bytes = MemoryPressureSource.bytes(base64: text)
        if let decoded { #expect(bytes == Array(decoded.utf8)) } else { #expect(bytes == [0xFB, 0xFF, 0xBF]) }
    }

    @Test(
        "invalid base64 is ignored", arguments: ["Z", "Zg", "Zg=", "Z===", "Zm9v!", "=Zg=", "Zm 9", "ä==="])
    func notBase64(text: String) { #expect(MemoryPressureSource.bytes(base64: text) == nil) }
}
