internal import Readings

/// A sensor of this host as sysfs shows it, before libiio is asked.
struct Sighting: Equatable, Sendable {
    /// The kernel's name for it at present: `iio:device0`.
    let id: String
    /// Another each time that it comes, even under the same name.
    let appearance: SensorAppearance
    /// The driver's name.
    let name: String?
    /// Where in the host it is.
    let placement: Placement?
    /// What stays the same when it goes and comes back.
    let identity: SensorIdentity
    /// Whether udev has dealt with it: before that, rights and properties are missing.
    let isSettled: Bool
    /// What it measures, in the order of the table of kinds; not empty.
    var kinds = [Kind.acceleration]

    /// `accel_3d (display, serial A1)`; for people.
    var title: String {
        let remarks = [placement?.words, identity.serial.map { "serial \($0)" }].compactMap { $0 }
        let model = name ?? kinds.first?.row.resource ?? id
        return model + (remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))")
    }

    /// Whether it is what somebody means by a word: its serial number, place, driver's name or the kernel's name.
    func answers(to word: String) -> Bool {
        [identity.serial, placement?.words, placement?.label, name, id].contains(word)
    }
}
