import Testing

@testable import Gpsd

@Suite struct ReceiverRollTests {
    @Test("one receiver is no news; a second one makes two, and each is told once")
    func second() {
        var roll = ReceiverRoll()
        #expect(news(&roll, fix("/dev/a")) == [])
        #expect(news(&roll, fix("/dev/a")) == [])
        #expect(news(&roll, fix("/dev/b")) == ["/dev/a", "/dev/b"])
        #expect(news(&roll, fix("/dev/a")) == [])
        #expect(news(&roll, .receiver(Receiver(path: "/dev/c", driver: ""))) == ["/dev/c"])
    }

    @Test("a list tells them without a fix")
    func list() {
        var roll = ReceiverRoll()
        #expect(news(&roll, list("/dev/a", "/dev/b")) == ["/dev/a", "/dev/b"])
        #expect(news(&roll, list("/dev/b")) == [])
        #expect(news(&roll, list("/dev/a", "/dev/b", "/dev/c")) == ["/dev/c"])
    }

    @Test("one that took the other's place is still the only one")
    func replaced() {
        var roll = ReceiverRoll()
        #expect(news(&roll, fix("/dev/a")) == [])
        #expect(news(&roll, .receiverGone(path: "/dev/a")) == [])
        #expect(news(&roll, fix("/dev/b")) == [])
        #expect(news(&roll, list("/dev/c")) == [])
    }

    @Test("clocks, corrections and the nameless are no receivers")
    func others() {
        var roll = ReceiverRoll()
        #expect(news(&roll, list("/dev/a", "/dev/pps0", "ntrip://caster:2101/x", "dgpsip://host")) == [])
        #expect(news(&roll, fix("")) == [])
    }

    @Test("receivers without end are not remembered")
    func bounded() {
        var roll = ReceiverRoll()
        var told = 0
        for number in 0..<1000 { told += news(&roll, fix("/dev/\(number)")).count }
        #expect(told == Receiver.mostRemembered)
    }

    private func news(_ roll: inout ReceiverRoll, _ report: GpsdReport) -> [String] {
        roll.take(report)
        return Array(roll.takeNews())
    }

    private func fix(_ path: String) -> GpsdReport { .fix(FixReport(mode: 1), path: path) }

    private func list(_ paths: String...) -> GpsdReport {
        .receivers(paths.map { Receiver(path: $0, driver: "") })
    }
}
