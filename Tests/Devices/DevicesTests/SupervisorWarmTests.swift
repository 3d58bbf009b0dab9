import Devices
import Readings
import Testing

/// A device in the warm pool: kept, evicted, given another grace period, made again.
@Suite("A warm device") struct SupervisorWarmTests {
    @Test("is closed at once when memory is short, and counted")
    func evicted() {
        var device = SupervisedDevice.active(warmGraceSeconds: 1000)
        device.ask(milliseconds: nil)
        device.supervisor.evict()
        #expect(device.next == .close)
        #expect(device.state == .idle)
        #expect(device.next == .sleep(until: nil))
        #expect(device.supervisor.counters.evictions == 1)
        // A client comes: it is opened as usual.
        device.ask()
        #expect(device.next == .open(SupervisedDevice.demand()))
    }

    @Test("that is in use, or gets a demand at the same instant, is never evicted")
    func inUse() {
        var device = SupervisedDevice.active()
        device.supervisor.evict()
        guard case .run = device.next else { return #expect(Bool(false), "closed in use") }
        device.ask(milliseconds: nil)
        device.ask()
        device.supervisor.evict()
        guard case .run = device.next else { return #expect(Bool(false), "closed in use") }
        #expect(device.supervisor.counters.evictions == 0)
        #expect(device.supervisor.counters.opens == 1)
    }

    @Test("is not counted as evicted if it is closed, failed or released")
    func notOpen() {
        var device = SupervisedDevice()
        device.probe()
        device.supervisor.evict()
        #expect(device.next == .sleep(until: nil))
        device.open()
        device.sample()
        device.ask(milliseconds: nil)
        device.supervisor.setReleased(true)
        device.supervisor.evict()
        #expect(device.next == .close)
        #expect(device.supervisor.counters.evictions == 0)
    }

    @Test("applies a changed grace time from the moment it became unused, not from the change")
    func otherGrace() {
        var device = SupervisedDevice.active(warmGraceSeconds: 10)
        let start = device.now
        device.ask(milliseconds: nil)
        device.pass(seconds: 4)
        device.sample()
        device.supervisor.setWarmGrace(nanoseconds: 5 * SupervisedDevice.second)
        #expect(device.next == .run(until: start + 5 * SupervisedDevice.second))
        device.supervisor.setWarmGrace(nanoseconds: 3 * SupervisedDevice.second)
        #expect(device.next == .close)
    }

    @Test("remains open for ever with an infinite grace time")
    func endless() {
        var device = SupervisedDevice.active()
        device.supervisor.setWarmGrace(nanoseconds: .max)
        device.ask(milliseconds: nil)
        device.pass(seconds: 1e9)
        device.sample()
        guard case .run = device.next else { return #expect(Bool(false), "closed") }
        #expect(device.state == .warm)
    }

    @Test("whose driver was replaced is opened again if there is demand, without a fault")
    func remade() {
        var device = SupervisedDevice.active()
        device.supervisor.remade()
        #expect(device.next == .open(SupervisedDevice.demand()))
        #expect(device.state == .starting)
        #expect(device.supervisor.counters.faults == 0)
    }

    @Test("whose driver was replaced is only probed without demand, and left alone if it is released")
    func remadeIdle() {
        var device = SupervisedDevice.active()
        device.ask(milliseconds: nil)
        device.supervisor.remade()
        #expect(device.next == .probe)
        device.supervisor.probed()
        #expect(device.state == .idle)
        device.supervisor.setReleased(true)
        device.supervisor.remade()
        #expect(device.next == .sleep(until: nil))
        #expect(device.state == .released)
    }

    @Test("that had failed is tried at once when its driver was replaced")
    func remadeAfterFault() {
        var device = SupervisedDevice.active()
        device.fail()
        #expect(device.next == .close)
        guard case .sleep = device.next else { return #expect(Bool(false), "no back-off") }
        device.supervisor.remade()
        #expect(device.next == .open(SupervisedDevice.demand()))
    }

    @Test(
        "without a grace time is reopened for a client that follows right after the last one", arguments: [0.0, 10.0])
    func lapsed(graceSeconds: Double) {
        var device = SupervisedDevice.active(warmGraceSeconds: Int64(graceSeconds))
        device.supervisor.demandLapsed()
        device.ask()
        #expect((device.next == .close) == (graceSeconds == 0))
    }
}
