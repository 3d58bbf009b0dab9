import Readings
import Testing

@testable import Gpsd

@Suite struct ResourceNameReceiverTests {
    @Test(
        "a device node is its own name; of any other path a checksum is added",
        arguments: [
            ("/dev/ttyUSB0", "location:ttyUSB0"), ("/dev/gps-1.a_b", "location:gps-1.a_b"),
            ("/dev/pts/3", "location:pts-3-9cc5dd2d"), ("tcp://host:2947", "location:tcp---host-2947-dc18aa08"),
            ("/dev/", "location:-d1b18cde"), ("", nil),
        ])
    func name(_ path: String, _ name: String?) {
        #expect(ResourceName.location(ofReceiver: path)?.description == name)
    }

    @Test("paths that look alike have names of their own, and the longest path has one")
    func collisions() {
        let long = String(repeating: "x", count: 100)
        let paths = [
            "/dev/a/b", "/dev/a-b", "/dev/a:b", "a/b", "a-b", "/dev/é", "/dev/è", "/dev/\(long)1", "/dev/\(long)2", "/",
        ]
        let names = Set(paths.compactMap { ResourceName.location(ofReceiver: $0)?.description })
        #expect(names.count == paths.count)
    }
}
