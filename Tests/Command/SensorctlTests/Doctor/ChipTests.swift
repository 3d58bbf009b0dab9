import Glibc
import TestTools
import Testing

@testable import sensorctl

@Suite("The doctor's survey of chips without a driver")
struct ChipTests {
    private let sys = Sys()

    @Test("names the module of each sensor that has no driver, and passes over what has one or is none")
    func unbound() {
        sys.put("1-0068", "mpu6050", "of:NimuT(null)Cinvensense,mpu6050")
        sys.put("1-0076", "bmp280", "of:NpressureT(null)Cbosch,bmp280", hasDriver: true)
        sys.put("1-0050", "24c32", "i2c:24c32")
        sys.makeFolder("bus/i2c/devices/i2c-1")
        #expect(sys.views == [ChipView(address: "1-0068", name: "mpu6050", module: "inv-mpu6050-i2c")])
    }

    @Test("knows which driver is loaded and has refused a chip")
    func refused() {
        sys.put("1-0068", "mpu6050", "of:NimuT(null)Cinvensense,mpu6050")
        sys.makeFolder("module/inv_mpu6050_i2c")
        #expect(sys.views.map(\.isModuleLoaded) == [true])
    }

    @Test("names an overlay only on a Raspberry Pi, and only where nothing declares the chip at each boot")
    func overlays() {
        sys.put("1-0048", "ads1115", "i2c:ads1115")
        sys.put("1-006a", "lsm6ds3", "i2c:lsm6ds3")
        sys.put("1-0076", "bmp280", "of:NpressureT(null)Cbosch,bmp280")
        #expect(sys.views.map(\.overlay) == [nil, nil, nil])
        sys.write("raspberrypi,4-model-b\0brcm,bcm2711\0", to: "firmware/devicetree/base/compatible")
        #expect(sys.views.map(\.overlay) == ["ads1115", nil, nil])
    }

    @Test("finds nothing on a host without such a bus")
    func noBus() { #expect(sys.views.isEmpty) }

    @Test("each chip has one driver, and each overlay is that of a chip")
    func table() {
        let chips = ChipDriver.all.flatMap(\.chips)
        #expect(Set(chips).count == chips.count)
        #expect(ChipDriver.of("mpu6050")?.overlay(of: "mpu6050") == "i2c-sensor,mpu6050")
        #expect(ChipDriver.of("mpu6500")?.overlay(of: "mpu6500") == nil)
        #expect(ChipDriver.of("24c32") == nil)
    }

    @Test("a chip without a driver is a note that says how to get one")
    func findings() throws {
        let chip = ChipView(
            address: "1-0068", name: "mpu6050", module: "inv-mpu6050-i2c", overlay: "i2c-sensor,mpu6050")
        for (hasBus, hasSensor) in [(false, false), (true, false), (true, true)] {
            let host = diagnosis { view in
                view.hasBus = hasBus
                if !hasSensor { view.sensors = [] }
                view.chips = [chip]
            }
            let finding = try #require(host.findings.first { $0.subject == "1-0068 (mpu6050)" })
            #expect(host.isWell && finding.verdict == .note)
            #expect(finding.remedy?.contains("sudo modprobe inv-mpu6050-i2c") == true)
            #expect(finding.remedy?.contains("dtoverlay=i2c-sensor,mpu6050") == true)
        }
        var refused = chip
        refused.isModuleLoaded = true
        let found = diagnosis { $0.chips = [refused] }.findings
        #expect(found.contains { $0.remedy?.contains("dmesg | grep 1-0068") == true })
        let elsewhere = diagnosis { view in
            view.configuration?.context = "ip:box"
            view.chips = [chip]
        }
        #expect(!elsewhere.findings.contains { $0.subject.hasPrefix("1-0068") })
    }
}

/// A /sys of a test's own.
private struct Sys {
    private let directory = try? TemporaryDirectory()

    var views: [ChipView] { ChipSurvey.views(in: directory?.path ?? "/nowhere") }

    func makeFolder(_ name: String) {
        var path = directory?.path ?? "/nowhere"
        for part in name.split(separator: "/") {
            path += "/\(part)"
            unsafe mkdir(path, 0o700)
        }
    }

    func write(_ text: String, to name: String) {
        makeFolder(name.split(separator: "/").dropLast().joined(separator: "/"))
        directory?.write(text, to: name)
    }

    func put(_ address: String, _ name: String, _ modalias: String, hasDriver: Bool = false) {
        write("\(name)\n", to: "bus/i2c/devices/\(address)/name")
        write("\(modalias)\n", to: "bus/i2c/devices/\(address)/modalias")
        if hasDriver { makeFolder("bus/i2c/devices/\(address)/driver") }
    }
}
