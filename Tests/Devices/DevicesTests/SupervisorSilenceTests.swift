import Devices
import Readings
import Testing

@Suite struct SupervisorSilenceTests {
    @Test("silence makes the device stale, and a sample makes it active again")
    func stale() {
        var device = SupervisedDevice.active()
        #expect(device.next == .run(until: device.now + SupervisedDevice.second))
        device.pass(seconds: 0.9)
        device.comeEmpty()
        #expect(device.state == nil)
        device.waitInVain()
        #expect(device.state == .stale(reason: "no reading for 1 s"))
        device.sample()
        #expect(device.state == .active)
    }

    @Test("after thirty seconds of silence it is closed and reopened")
    func reopens() {
        var device = SupervisedDevice.active()
        let last = device.now
        device.waitInVain()
        device.waitInVain()
        #expect(device.now == last + 30 * SupervisedDevice.second)
        #expect(device.state == .unavailable(reason: "no reading for 30 s"))
        #expect(device.supervisor.counters.lastFault?.kind == .lost)
        #expect(device.next == .close)
        device.pass(seconds: 0.3)
        #expect(device.next == .open(SupervisedDevice.demand()))
    }

    @Test("without a first sample it is stale after 5 s, not faulty, and opened again after 30 s")
    func firstSample() {
        var device = SupervisedDevice()
        device.probe()
        device.open()
        let start = device.now
        _ = device.state
        device.waitInVain()
        #expect(device.now == start + 5 * SupervisedDevice.second)
        #expect(device.state == .stale(reason: "no reading for 5 s"))
        #expect(device.supervisor.counters.faults == 0)
        device.waitInVain()
        #expect(device.now == start + 30 * SupervisedDevice.second)
        #expect(device.next == .close)
    }

    @Test("empty reads are silence only after the deadline")
    func emptyReads() {
        var device = SupervisedDevice.active()
        for _ in 0..<99 {
            device.pass(seconds: 0.01)
            device.comeEmpty()
        }
        #expect(device.state == nil)
        device.pass(seconds: 0.01)
        device.comeEmpty()
        #expect(device.state == .stale(reason: "no reading for 1 s"))
    }

    @Test("a new rate of the device moves the deadline")
    func profileChanged() {
        var device = SupervisedDevice.active()
        device.supervisor.profileChanged(SupervisedDevice.profile(milliseconds: 1000))
        #expect(device.next == .run(until: device.now + 3 * SupervisedDevice.second))
    }

    @Test("a shorter interval does not make the past count as silence")
    func adjustedToFaster() {
        var device = SupervisedDevice()
        device.probe()
        device.open(milliseconds: 10_000)
        device.sample()
        device.pass(seconds: 9)
        device.ask(milliseconds: 10)
        _ = device.next
        device.supervisor.adjusted(
            SupervisedDevice.profile(milliseconds: 10), to: SupervisedDevice.demand(milliseconds: 10), at: device.now)
        _ = device.state
        device.comeEmpty()
        #expect(device.state == nil)
        #expect(device.next == .run(until: device.now + SupervisedDevice.second))
    }

    @Test("changing the demand all the time does not hide a silent device")
    func adjustedForEver() {
        var device = SupervisedDevice.active()
        for step: Int64 in 0..<4 {
            device.pass(seconds: 0.5)
            let milliseconds = 50 + step % 2
            device.ask(milliseconds: milliseconds)
            device.supervisor.adjusted(
                SupervisedDevice.profile(milliseconds: milliseconds),
                to: SupervisedDevice.demand(milliseconds: milliseconds), at: device.now)
            device.comeEmpty()
        }
        #expect(device.state == .stale(reason: "no reading for 1 s"))
    }

    @Test("after the host has slept, the device is given its time again")
    func suspended() {
        var device = SupervisedDevice.active()
        device.waitInVain(lateSeconds: 3600)
        #expect(device.state == nil)
        #expect(device.next == .run(until: device.now + SupervisedDevice.second))
        device.sample()
        #expect(device.state == nil)
        #expect(device.supervisor.counters.faults == 0)
    }

    @Test("a device that is silent after the host has slept becomes stale in time, then lost")
    func silentAfterSuspend() {
        var device = SupervisedDevice.active()
        device.waitInVain(lateSeconds: 3600)
        device.waitInVain()
        #expect(device.state == .stale(reason: "no reading for 1 s"))
        device.waitInVain()
        #expect(device.state == .unavailable(reason: "no reading for 30 s"))
    }

    @Test("a stale device is not lost because the host has slept")
    func suspendedWhileStale() {
        var device = SupervisedDevice.active()
        device.waitInVain()
        _ = device.state
        device.waitInVain(lateSeconds: 3600)
        #expect(device.state == nil)
        guard case .run = device.next else {
            Issue.record("given up")
            return
        }
    }

    @Test("reads that take long do not hide a dead device")
    func slowReads() {
        var device = SupervisedDevice.active()
        device.pass(seconds: 5)
        device.comeEmpty()
        #expect(device.state == nil)
        device.pass(seconds: 5)
        device.comeEmpty()
        #expect(device.state == .stale(reason: "no reading for 1 s"))
    }

    @Test("after the host has slept, a wait for a retry is over and a warm device closes")
    func suspendedElsewhere() {
        var retrying = SupervisedDevice.active()
        retrying.fail()
        _ = retrying.next
        retrying.pass(seconds: 3600)
        #expect(retrying.next == .open(SupervisedDevice.demand()))

        var warm = SupervisedDevice.active()
        warm.ask(milliseconds: nil)
        warm.pass(seconds: 3600)
        #expect(warm.next == .close)
    }

    @Test("a warm device that falls silent is not reported as stale until there is demand")
    func silentWhileWarm() {
        var device = SupervisedDevice.active()
        device.ask(milliseconds: nil)
        #expect(device.state == .warm)
        device.waitInVain()
        #expect(device.state == nil)
        device.ask()
        #expect(device.state == .stale(reason: "no reading for 1 s"))
    }

    @Test("silence has no meaning for a device that reports its own states, until it is closed")
    func ownWord() {
        var device = SupervisedDevice.active()
        device.supervisor.reported(.stale(reason: "the recording reports it"))
        #expect(device.state == nil)
        #expect(device.next == .run(until: BootTime(nanoseconds: .max)))
        device.pass(seconds: 1000)
        device.comeEmpty()
        #expect(device.state == nil)
        device.supervisor.reported(.active)
        device.supervisor.failed(SupervisedDevice.fault, at: device.now)
        #expect(device.state == .unavailable(reason: SupervisedDevice.fault.description))
        #expect(device.next == .close)
        device.open()
        device.sample()
        _ = device.state
        device.pass(seconds: 2)
        device.comeEmpty()
        #expect(device.state == .stale(reason: "no reading for 1 s"))
    }
}
