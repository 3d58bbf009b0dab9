internal import Devices
internal import Glibc
internal import Platform
internal import Readings

/// Finds the sensors that the kernel has, from sysfs and udev's database; never touches the hardware.
extension Sighting {
    /// Every sensor that is there, in the order of the kernel's numbers.
    static func all(in devices: String = LocalSensors.directory, udev: UdevDatabase = UdevDatabase()) -> [Sighting] {
        let ids = Directory.names(in: devices).filter { $0.hasPrefix("iio:device") }
        let sorted = ids.sorted { ($0.deviceNumber ?? .max) < ($1.deviceNumber ?? .max) }
        var seen: [Identity: Int] = [:]
        return sorted.compactMap { id in
            Sighting(id, in: devices, udev) { identity in
                seen[identity, default: -1] += 1
                return identity.numbered(seen[identity] ?? 0)
            }
        }
    }

    private init?(_ id: String, in devices: String, _ udev: UdevDatabase, _ number: (Identity) -> Identity) {
        let directory = "\(devices)/\(id)"
        let inputs = Self.inputs(in: directory)
        guard !inputs.isEmpty, let appearance = Appearance(directory: directory),
            let path = Self.resolved(directory)
        else { return nil }
        let name = SmallFile.line(at: "\(directory)/name")
        let label = Self.word("label", of: directory)
        let location = Self.word("location", of: directory)
        let property = inputs[.acceleration] != nil ? udev.property("ACCEL_LOCATION", of: directory) : nil
        let hub = Self.hub(above: path)
        let identity = Identity(
            serial: hub["HID_UNIQ"], path: hub["HID_PHYS"] ?? Identity.stablePath(path), name: name,
            label: label ?? location)
        self.init(
            id: id, appearance: appearance, name: name.map { printable($0) },
            placement: Placement(property: property.map { printable($0) }, label: label, location: location),
            identity: number(identity), isSettled: udev.isSettled(directory), inputs: inputs, path: path)
    }

    /// The text of an attribute; nil if there is none, or nothing in it.
    private static func word(_ attribute: String, of directory: String) -> String? {
        SmallFile.line(at: "\(directory)/\(attribute)").flatMap { $0.isEmpty ? nil : printable($0) }
    }

    /// The channels by which a device measures each of its kinds, by the names of its files.
    private static func inputs(in directory: String) -> [Kind: [[String]]] {
        let files = Directory.names(in: directory) + Directory.names(in: "\(directory)/scan_elements")
        let ids = Set(files.compactMap(ChannelName.init(ofFile:)).map(\.id))
        var inputs: [Kind: [[String]]] = [:]
        for kind in Kind.ofIIO {
            let found = kind.row.iio?.inputs(among: ids).prefix(Quantity.mostInputs) ?? []
            if !found.isEmpty { inputs[kind] = Array(found) }
        }
        return inputs
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The properties of the HID device that a sensor is part of; empty values are left out.
    private static func hub(above path: String) -> [String: String] {
        var parts = path.split(separator: "/")
        while parts.count > 2 {
            parts.removeLast()
            guard let text = SmallFile.text(at: "/" + parts.joined(separator: "/") + "/uevent"),
                text.split(separator: "\n").contains(where: { $0.hasPrefix("HID_ID=") })
            else { continue }
            return assignments(in: text)
        }
        return [:]
    }

    private static func assignments(in text: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: "=", maxSplits: 1)
            if words.count == 2 { values[String(words[0])] = printable(String(words[1])) }
        }
        return values
    }
}
