import Devices
import Readings
import Testing

@Suite struct SupervisorLookTests {
    @Test("an open device that may be gone is read at once, and once")
    func open() {
        var device = SupervisedDevice.active()
        device.supervisor.requestLook()
        #expect(device.next == .look)
        guard case .run = device.next else {
            Issue.record("it goes on")
            return
        }
    }

    @Test("a missing device that may be back is tried at once, and its back-off restarts")
    func missing() {
        var device = SupervisedDevice.active()
        for _ in 0..<8 {
            device.fail()
            _ = device.next
            device.pass(seconds: 3)
            _ = device.next
        }
        device.fail()
        _ = device.next
        guard case .sleep(let later?) = device.next else {
            Issue.record("it waits")
            return
        }
        #expect(later - device.now >= 400_000_000)
        device.supervisor.requestLook()
        #expect(device.next == .open(SupervisedDevice.demand()))
        device.fail()
        _ = device.next
        guard case .sleep(let soon?) = device.next else {
            Issue.record("it waits")
            return
        }
        #expect(soon - device.now < 400_000_000)
    }

    @Test("without demand, a device that may have appeared is probed, and a released one is left alone")
    func idle() {
        var device = SupervisedDevice()
        device.probe()
        device.supervisor.requestLook()
        #expect(device.next == .probe)
        device.probe()
        device.supervisor.setReleased(true)
        device.supervisor.requestLook()
        #expect(device.next == .sleep(until: nil))
    }

    @Test("a check requested before the device was closed is not made at its next opening")
    func stale() {
        var device = SupervisedDevice.active()
        device.supervisor.requestLook()
        device.fail()
        #expect(device.next == .close)
        device.pass(seconds: 3)
        device.open()
        #expect(device.next != .look)
    }
}
