import Testing

@testable import IIO

@Suite struct BufferDriveTests {
    @Test(
        "a device's own trigger is known by its name",
        arguments: [
            ("accel_3d-dev0", "accel_3d", "iio:device0", true), ("lis3dh-trigger", "lis3dh", "iio:device4", true),
            ("accel_3d-dev1", "accel_3d", "iio:device0", false), ("gyro_3d-dev0", "accel_3d", "iio:device0", false),
            ("sysfstrig1", "accel_3d", "iio:device0", false),
        ])
    func triggers(trigger: String, device: String, id: String, own: Bool) {
        #expect(BufferDrive.isTrigger(trigger, of: device, id: id) == own)
    }

    @Test("devices are ordered by number, not by letters")
    func numbers() {
        #expect("iio:device10".deviceNumber == 10)
        #expect("hwmon".deviceNumber == nil)
        #expect("iio:device99999999999999999999".deviceNumber == nil)
    }
}
