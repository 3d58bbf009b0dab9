import Readings
import Testing

@testable import Gpsd

@Suite struct ReceiverListTests {
    @Test("a single receiver is not reported; with a second one both are, once")
    func second() {
        var roll = ReceiverList()
        #expect(added(&roll, fix("/dev/a")) == [])
        #expect(added(&roll, fix("/dev/a")) == [])
        #expect(added(&roll, fix("/dev/b")) == ["/dev/a", "/dev/b"])
        #expect(added(&roll, fix("/dev/a")) == [])
        #expect(added(&roll, .receiver(Receiver(path: "/dev/c", driver: ""))) == ["/dev/c"])
    }

    @Test("receivers in a list are reported even without a fix")
    func list() {
        var roll = ReceiverList()
        #expect(added(&roll, list("/dev/a", "/dev/b")) == ["/dev/a", "/dev/b"])
        #expect(added(&roll, list("/dev/b")) == [])
        #expect(added(&roll, list("/dev/a", "/dev/b", "/dev/c")) == ["/dev/c"])
    }

    @Test("a receiver that replaced another is still the only one")
    func replaced() {
        var roll = ReceiverList()
        #expect(added(&roll, fix("/dev/a")) == [])
        #expect(added(&roll, .receiverGone(path: "/dev/a")) == [])
        #expect(added(&roll, fix("/dev/b")) == [])
        #expect(added(&roll, list("/dev/c")) == [])
    }

    @Test("clocks, sources of corrections and devices without a name are not receivers")
    func others() {
        var roll = ReceiverList()
        #expect(added(&roll, list("/dev/a", "/dev/pps0", "ntrip://caster:2101/x", "dgpsip://host")) == [])
        #expect(added(&roll, fix("")) == [])
    }

    @Test("the number of remembered receivers is bounded")
    func bounded() {
        var roll = ReceiverList()
        var count = 0
        for number in 0..<1000 { count += added(&roll, fix("/dev/\(number)")).count }
        #expect(count == Receiver.mostRemembered)
    }

    private func added(_ roll: inout ReceiverList, _ report: GpsdReport) -> [String] {
        roll.take(report)
        return Array(roll.takeUnreported())
    }

    private func fix(_ path: String) -> GpsdReport { .fix(FixReport(mode: 1), path: path) }

    private func list(_ paths: String...) -> GpsdReport {
        .receivers(paths.map { Receiver(path: $0, driver: "") })
    }
}

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

    @Test("similar paths have different names, and the longest path has one")
    func collisions() {
        let long = String(repeating: "x", count: 100)
        let paths = [
            "/dev/a/b", "/dev/a-b", "/dev/a:b", "a/b", "a-b", "/dev/é", "/dev/è", "/dev/\(long)1", "/dev/\(long)2", "/",
        ]
        let names = Set(paths.compactMap { ResourceName.location(ofReceiver: $0)?.description })
        #expect(names.count == paths.count)
    }
}
