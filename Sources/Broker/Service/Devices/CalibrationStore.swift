public import Readings

/// Where calibrations are stored.
public struct CalibrationStore {
    /// Carries out a change, later calls back.
    public typealias Write = (CalibrationFile.Change, _ done: @escaping (CalibrationFault?, BootTime) -> Void) -> Void

    let write: Write

    /// A store whose work is done by a closure, on the loop; it must not wait for the disk.
    public init(write: @escaping Write) { self.write = write }
}

/// A file in which a calibration is stored.
public struct CalibrationFile: Sendable {
    /// The file's name in its directory.
    public let name: String
    /// What is in it.
    public let text: [UInt8]

    /// A file with its bytes.
    public init(name: String, text: [UInt8]) {
        self.name = name
        self.text = text
    }

    /// What becomes of a file.
    public struct Change: Sendable {
        /// The file's name in its directory.
        public let name: String
        /// What will be in it; nil: it goes.
        public let text: [UInt8]?
    }
}

/// Why a calibration is not stored, or not read.
public struct CalibrationFault: Error, Equatable, CustomStringConvertible {
    /// The reason, in words.
    public let description: String

    /// A fault with a reason.
    public init(_ reason: String) { description = reason }
}
