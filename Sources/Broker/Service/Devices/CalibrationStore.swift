public import Readings

/// Where calibrations are stored: carries out a change without waiting for the disk, and calls back on the loop.
public typealias CalibrationStore = (
    CalibrationFile.Change, _ done: @escaping (CalibrationFault?, BootTime) -> Void
) -> Void

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
