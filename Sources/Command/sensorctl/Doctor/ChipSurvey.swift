internal import Glibc
internal import Platform

/// The sensors on the host's I²C buses that have no driver.
///
/// Only sysfs is read: to search a bus could disturb its chips.
enum ChipSurvey {
    /// Each such chip that `ChipDriver` knows. `access(2)`
    static func views(in sys: String = "/sys") -> [ChipView] {
        let devices = "\(sys)/bus/i2c/devices"
        let isRaspberryPi =
            SmallFile.text(at: "\(sys)/firmware/devicetree/base/compatible")?.contains("raspberrypi,") == true
        return Directory.names(in: devices).compactMap { address in
            let chip = "\(devices)/\(address)"
            guard let name = SmallFile.line(at: "\(chip)/name"), let driver = ChipDriver.of(name),
                unsafe access("\(chip)/driver", F_OK) != 0
            else { return nil }
            let module = String(driver.module.map { $0 == "-" ? "_" : $0 })
            // What a device tree declares is there after each boot; what somebody has written to `new_device` is not.
            let isDeclared = SmallFile.line(at: "\(chip)/modalias")?.hasPrefix("of:") == true
            return ChipView(
                address: address, name: name, module: driver.module,
                isModuleLoaded: unsafe access("\(sys)/module/\(module)", F_OK) == 0,
                overlay: isDeclared || !isRaspberryPi ? nil : driver.overlay(of: name))
        }
    }
}

/// A sensor on an I²C bus that has no driver.
struct ChipView: Equatable {
    /// Bus and address, as the kernel writes them: `1-0068`.
    var address: String
    var name: String
    /// The module of its driver.
    var module: String
    /// Whether the kernel has that module, so that it has refused the chip.
    var isModuleLoaded = false
    /// What would declare it at each boot; nil if something does, or nothing can.
    var overlay: String?
}
