import Testing

@testable import IIO

@Suite struct UeventTests {
    private func uevent(_ fields: String...) -> Uevent? { Uevent(fields.joined(separator: "\0").utf8) }

    @Test("states whether it is about an IIO device")
    func concerns() throws {
        let path = "/devices/virtual/misc/uhid/0003:1209:0001.0001/HID-SENSOR-200073.2.auto/iio:device0"
        let device = try #require(
            uevent(
                "add@\(path)", "ACTION=add", "DEVPATH=\(path)", "SUBSYSTEM=iio", "MAJOR=245", "DEVNAME=iio:device0",
                "DEVTYPE=iio_device", "SEQNUM=1234"))
        #expect(device.action == "add" && device.concernsSensors)
        let trigger = try #require(uevent("add@/trigger0", "ACTION=add", "SUBSYSTEM=iio", "DEVTYPE=iio_trigger"))
        #expect(!trigger.concernsSensors)
        let other = try #require(uevent("add@/x", "ACTION=add", "SUBSYSTEM=usb", "DEVTYPE=iio_device"))
        #expect(!other.concernsSensors)
    }

    @Test("a message that is not the kernel's is ignored")
    func hostile() {
        #expect(Uevent([]) == nil)
        #expect(uevent("libudev", "ACTION=add") == nil)
        #expect(Uevent([UInt8](repeating: 0xff, count: 100)) == nil)
        #expect(uevent("=", "ACTION=", "SUBSYSTEM=iio") == nil)
        #expect(uevent("ACTION=add", "SUBSYSTEM=i=i")?.subsystem == "i=i")
    }
}
