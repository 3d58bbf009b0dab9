internal import Printable

/// This host's sensors: whether the broker can use them.
extension Diagnosis {
    var sensors: [Finding] {
        guard (view.configuration?.context ?? "local:") == "local:" else { return [] }
        guard view.hasBus else {
            return [
                Finding(
                    "sensors", .note, "the kernel has no IIO bus, so no driver of sensors is loaded",
                    remedy: "if this host has one, load its driver with modprobe")
            ]
        }
        guard !view.sensors.isEmpty else {
            return [
                Finding(
                    "sensors", .note, "the kernel has found none",
                    remedy: "if this host has one, connect it and load its driver with modprobe")
            ]
        }
        return view.sensors.flatMap(findings)
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
