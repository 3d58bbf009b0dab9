import Foundation

@testable import IIO

/// Files like those of /sys and /run/udev, in a directory that is removed after its test.
final class SensorTree {
    let root: URL

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "sensors-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    var udev: UdevDatabase { UdevDatabase(run: root.appending(path: "udev").path) }

    var sightings: [Sighting] { Sighting.all(in: root.appending(path: "bus").path, udev: udev) }

    func put(_ path: String, _ text: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data((text + "\n").utf8).write(to: file)
    }

    /// An accelerometer `iio:deviceN` below a path of devices, as the bus lists it.
    func plug(_ number: Int, at path: String, _ files: [String: String] = [:]) throws {
        let directory = "devices/\(path)/iio:device\(number)"
        for axis in ["x", "y", "z"] { try put("\(directory)/in_accel_\(axis)_raw", "0") }
        try put("\(directory)/dev", "245:\(number)")
        for (name, text) in ["name": "accel_3d"].merging(files, uniquingKeysWith: { $1 }) {
            try put("\(directory)/\(name)", text)
        }
        try FileManager.default.createDirectory(
            at: root.appending(path: "bus"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: "bus/iio:device\(number)").path,
            withDestinationPath: root.appending(path: directory).path)
    }

    func unplug(_ number: Int, at path: String) throws {
        try FileManager.default.removeItem(at: root.appending(path: "bus/iio:device\(number)"))
        try FileManager.default.removeItem(at: root.appending(path: "devices/\(path)"))
    }
}
