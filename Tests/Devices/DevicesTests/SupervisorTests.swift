import Devices
import Readings
import Testing

@Suite struct SupervisorTests {
    @Test("it probes at the start and reports nothing before that")
    func probesFirst() {
        var device = SupervisedDevice()
        #expect(device.state == nil)
        #expect(device.next == .probe)
        device.supervisor.probed()
        #expect(device.state == .idle)
        #expect(device.next == .sleep(until: nil))
        #expect(device.state == nil)
    }

    @Test("a failed probe is reported and not retried without demand")
    func failedProbe() {
        var device = SupervisedDevice()
        _ = device.next
        device.fail()
        #expect(device.state == .unavailable(reason: "nobody listens"))
        #expect(device.next == .close)
        #expect(device.next == .sleep(until: nil))
        device.supervisor.requestProbe()
        #expect(device.next == .probe)
        device.supervisor.probed()
        #expect(device.state == .idle)
    }

    @Test("a demand opens a device whose probe failed, which stays unavailable until it is open")
    func demandAfterFailedProbe() {
        var device = SupervisedDevice()
        _ = device.next
        device.fail()
        _ = device.next
        _ = device.state
        device.ask()
        #expect(device.next == .open(SupervisedDevice.demand()))
        #expect(device.state == nil)
        device.supervisor.opened(SupervisedDevice.profile(), for: SupervisedDevice.demand(), at: device.now)
        #expect(device.state == .starting)
    }

    @Test("what it was opened for cannot be had: that is tried again, and who asks for the rest does not wait")
    func remainder() {
        var device = SupervisedDevice.active()
        let lacking = Demand(intervalNanoseconds: 1, kinds: [.angularVelocity])
        device.supervisor.demand(lacking, at: device.now)
        var fault = SupervisedDevice.fault
        fault.remainder = SupervisedDevice.profile()
        fault.remainder?.kinds = [.acceleration]
        device.supervisor.failed(fault, at: device.now)
        #expect(device.next == .close)
        #expect(device.state == .idle)
        device.supervisor.demand(Demand(intervalNanoseconds: 2, kinds: [.angularVelocity]), at: device.now)
        guard case .sleep(.some) = device.next else {
            Issue.record("it waits")
            return
        }
        let both = Demand(intervalNanoseconds: 1, kinds: [.acceleration, .angularVelocity])
        device.supervisor.demand(both, at: device.now)
        #expect(device.next == .open(both))
    }

    @Test("a demand starts it, the first sample makes it active")
    func starts() {
        var device = SupervisedDevice()
        device.probe()
        _ = device.state
        device.ask()
        #expect(device.state == .starting)
        #expect(device.next == .open(SupervisedDevice.demand()))
        device.open()
        #expect(device.state == nil)
        device.sample()
        #expect(device.state == .active)
        #expect(device.supervisor.counters.opens == 1)
        #expect(device.supervisor.counters.samples == 1)
    }

    @Test("a demand that comes before the probe opens at once")
    func demandBeforeProbe() {
        var device = SupervisedDevice()
        device.ask()
        #expect(device.next == .open(SupervisedDevice.demand()))
        device.open()
        #expect(device.next == .run(until: device.now + 5 * SupervisedDevice.second))
    }

    @Test("an unchanged demand changes nothing, another one adjusts")
    func adjusts() {
        var device = SupervisedDevice.active()
        let running = device.next
        device.ask(milliseconds: 100)
        #expect(device.next == running)
        device.ask(milliseconds: 50)
        #expect(device.next == .adjust(SupervisedDevice.demand(milliseconds: 50)))
        device.supervisor.adjusted(
            SupervisedDevice.profile(milliseconds: 50), to: SupervisedDevice.demand(milliseconds: 50), at: device.now)
        #expect(device.next == .run(until: device.now + SupervisedDevice.second))
        #expect(device.state == nil)
    }

    @Test("a fault is reported at once, closes the device, and is retried for ever with back-off")
    func retries() {
        var device = SupervisedDevice.active()
        device.fail()
        #expect(device.state == .unavailable(reason: "nobody listens"))
        #expect(device.next == .close)
        for milliseconds: Int64 in [250, 500, 500, 500, 500, 500, 500, 500, 500] {
            guard case .sleep(let wake?) = device.next else {
                Issue.record("no retry")
                return
            }
            let base = milliseconds * 1_000_000
            #expect((base * 8 / 10...base * 12 / 10).contains(wake - device.now))
            device.now = wake
            #expect(device.next == .open(SupervisedDevice.demand()))
            device.fail()
            #expect(device.state == nil)
            #expect(device.next == .close)
        }
        #expect(device.supervisor.counters.faults == 10)
        #expect(device.supervisor.counters.lastFault == SupervisedDevice.fault)
    }

    @Test("only a sample resets the back-off, opening does not")
    func resetsBackoff() {
        func wait(afterSample: Bool) -> Int64 {
            var device = SupervisedDevice.active()
            for _ in 0..<6 {
                device.fail()
                _ = device.next
                device.pass(seconds: 10)
                device.open()
            }
            if afterSample { device.sample() }
            device.fail()
            _ = device.next
            guard case .sleep(let wake?) = device.next else { return 0 }
            return wake - device.now
        }
        #expect(wait(afterSample: true) <= 300_000_000)
        #expect(wait(afterSample: false) >= 400_000_000)
    }

    @Test("retries end with the demand; a probe request cuts a wait short")
    func retryOnRequest() {
        var device = SupervisedDevice.active()
        device.fail()
        _ = device.next
        device.ask(milliseconds: nil)
        #expect(device.next == .sleep(until: nil))
        #expect(device.state == .unavailable(reason: "nobody listens"))
        device.ask()
        guard case .sleep(.some) = device.next else {
            Issue.record("a demand that comes and goes must not defeat the back-off")
            return
        }
        device.supervisor.requestProbe()
        #expect(device.next == .open(SupervisedDevice.demand()))
    }

    @Test("a failed adjustment is a fault")
    func failedAdjustment() {
        var device = SupervisedDevice.active()
        device.ask(milliseconds: 50)
        _ = device.next
        device.fail()
        #expect(device.next == .close)
        device.pass(seconds: 1)
        #expect(device.next == .open(SupervisedDevice.demand(milliseconds: 50)))
    }

    @Test("it stays warm for the grace, then closes")
    func warm() {
        var device = SupervisedDevice.active(warmGraceSeconds: 10)
        let start = device.now
        device.ask(milliseconds: nil)
        #expect(device.state == .warm)
        for _ in 0..<99 {
            device.pass(seconds: 0.1)
            device.sample()
            guard case .run = device.next else {
                Issue.record("closed after \(device.now - start) ns")
                return
            }
        }
        #expect(device.state == nil)
        device.pass(seconds: 0.1)
        #expect(device.next == .close)
        #expect(device.state == .idle)
        #expect(device.next == .sleep(until: nil))
    }

    @Test("the grace time is not extended by a repeated lack of demand, and ends the wait")
    func warmDeadline() {
        var device = SupervisedDevice.active(warmGraceSeconds: 1)
        let start = device.now
        device.ask(milliseconds: nil)
        device.pass(seconds: 0.5)
        device.sample()
        device.ask(milliseconds: nil)
        #expect(device.next == .run(until: start + SupervisedDevice.second))
    }

    @Test("without a grace it closes at once")
    func noGrace() {
        var device = SupervisedDevice.active(warmGraceSeconds: 0)
        device.ask(milliseconds: nil)
        #expect(device.next == .close)
    }

    @Test("a warm device is reused without being reopened")
    func reuse() {
        var device = SupervisedDevice.active()
        device.ask(milliseconds: nil)
        _ = device.state
        device.pass(seconds: 0.5)
        device.sample()
        device.ask(milliseconds: 50)
        #expect(device.state == .active)
        #expect(device.next == .adjust(SupervisedDevice.demand(milliseconds: 50)))
        #expect(device.supervisor.counters.reuses == 1)
        #expect(device.supervisor.counters.opens == 1)
    }

    @Test("a fault while warm is reported and not retried")
    func faultWhileWarm() {
        var device = SupervisedDevice.active()
        device.ask(milliseconds: nil)
        device.fail()
        #expect(device.state == .unavailable(reason: "nobody listens"))
        #expect(device.next == .close)
        #expect(device.next == .sleep(until: nil))
    }

    @Test("a released device is closed and left alone until it is reacquired")
    func released() {
        var device = SupervisedDevice.active()
        device.supervisor.setReleased(true)
        #expect(device.next == .close)
        #expect(device.state == .released)
        device.supervisor.requestProbe()
        #expect(device.next == .sleep(until: nil))
        device.supervisor.setReleased(false)
        #expect(device.next == .open(SupervisedDevice.demand()))
        #expect(device.state == .starting)
    }

    @Test("a released device without demand is probed when it is reacquired")
    func reacquiredIdle() {
        var device = SupervisedDevice()
        device.probe()
        device.supervisor.setReleased(true)
        #expect(device.next == .sleep(until: nil))
        #expect(device.state == .released)
        device.supervisor.setReleased(false)
        #expect(device.next == .probe)
    }

    @Test("stop closes an open device first and ends idle")
    func stops() {
        var device = SupervisedDevice.active()
        device.supervisor.requestStop()
        #expect(device.next == .close)
        #expect(device.next == .stop)
        #expect(device.state == .idle)
    }

    @Test("stop ends a retry")
    func stopsRetry() {
        var device = SupervisedDevice.active()
        device.fail()
        device.supervisor.requestStop()
        #expect(device.next == .close)
        #expect(device.next == .stop)
    }
}
