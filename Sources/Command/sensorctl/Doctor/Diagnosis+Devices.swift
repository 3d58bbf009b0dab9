internal import Printable

/// This host's sensors: whether the broker can use them.
extension Diagnosis {
    var sensors: [Finding] {
        guard (view.configuration?.context ?? "local:") == "local:" else { return [] }
        let chips = view.chips.map(finding)
        guard view.hasBus, !view.sensors.isEmpty else {
            let words =
                view.hasBus
                ? "the kernel has found none" : "the kernel has no IIO bus, so no driver of sensors is loaded"
            return chips.isEmpty
                ? [
                    Finding(
                        "sensors", .note, words,
                        remedy:
                            "if this host has one, connect it, declare its chip and load its driver: see hardware.md in "
                            + "/usr/share/doc/sensorbroker"
                    )
                ] : chips
        }
        return view.sensors.flatMap(findings) + chips
    }

    private func finding(of chip: ChipView) -> Finding {
        let subject = "\(chip.address) (\(chip.name.printable))"
        guard !chip.isModuleLoaded else {
            return Finding(
                subject, .note, "its driver, \(chip.module), is loaded and does not take it",
                remedy: "check its wiring and its address; sudo dmesg | grep \(chip.address) may say why")
        }
        let atBoot = chip.overlay.map { "; and for each boot, in config.txt: dtoverlay=\($0)" } ?? ""
        return Finding(
            subject, .note, "this chip has no driver",
            remedy: "sudo modprobe \(chip.module)\(atBoot). If there is no such module, this kernel is built without it"
        )
    }

    private func findings(of device: SensorView) -> [Finding] {
        let subject = "\(device.id) (\(device.name.printable))"
        var findings: [Finding] = []
        let rule =
            "sudo udevadm control --reload && sudo udevadm trigger -s iio; and check that 70-sensorbroker.rules exists"
        if device.hasNode, !device.nodeIsOpen {
            findings.append(
                Finding(subject, .bad, "the group iio may not use /dev/\(device.id)", remedy: rule))
        }
        if !device.attributesAreOpen {
            findings.append(Finding(subject, .bad, "the group iio may not set up a capture", remedy: rule))
        }
        if !device.users.isEmpty {
            let users = device.users.map { $0.printable }.joined(separator: " and ")
            findings.append(
                Finding(
                    subject, .bad, "\(users) uses it, and only one program can",
                    remedy: "end that program, or leave the device to it: sudo sensorctl release --kind \(device.kind)")
            )
        }
        guard findings.isEmpty else { return findings }
        let blind = view.user.isRoot ? "" : "; only root can see which other programs use it"
        return [Finding(subject, .ok, "may be used by the broker\(blind)")]
    }
}
