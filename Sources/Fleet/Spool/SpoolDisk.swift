/// Where the segments are: a directory, or what a test makes of it.
///
/// A file only grows, by whole records, or is cut or removed. Nothing is certain to outlive a power cut before `sync`.
public protocol SpoolDisk: AnyObject {
    /// The names of all files.
    func names() throws(DiskFailure) -> [String]
    /// At most so many bytes of a file from an offset on; fewer at its end.
    func read(_ name: String, from offset: Int, most count: Int) throws(DiskFailure) -> [UInt8]
    /// The length of a file.
    func size(of name: String) throws(DiskFailure) -> Int
    /// Creates an empty file; fails if it is there.
    func create(_ name: String) throws(DiskFailure)
    /// Appends all of the bytes, or none of them.
    func append(_ bytes: [UInt8], to name: String) throws(DiskFailure)
    /// Cuts a file.
    func cut(_ name: String, to size: Int) throws(DiskFailure)
    /// Removes a file.
    func remove(_ name: String) throws(DiskFailure)
    /// Begins to write down all that was appended, and then removes some files.
    func sync(thenRemoving names: [String])
}

/// A disk that did not do what it was asked.
public struct DiskFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Whether there is no room; else it is broken, or forbidden.
    public let isFull: Bool
    /// What failed, in words.
    public let description: String

    /// A failure in words.
    public init(isFull: Bool, _ description: String) {
        self.isFull = isFull
        self.description = description
    }
}

/// Now, by both clocks.
public struct Moment: Equatable, Sendable {
    /// CLOCK_BOOTTIME.
    public var bootNanoseconds: Int64
    /// Since 1970, by a clock that can step.
    public var utcMicroseconds: Int64
    /// Whether that clock follows a reference; nil if that is unknown.
    public var isSynchronized: Bool?

    /// An instant of both clocks.
    public init(bootNanoseconds: Int64, utcMicroseconds: Int64, isSynchronized: Bool? = nil) {
        self.bootNanoseconds = bootNanoseconds
        self.utcMicroseconds = utcMicroseconds
        self.isSynchronized = isSynchronized
    }
}

/// How much the spool keeps, and for how long.
public struct SpoolLimits: Equatable, Sendable {
    /// The most bytes of all segments.
    public var maximumBytes: Int
    /// How long what is not acknowledged is kept.
    public var maximumAgeNanoseconds: Int64
    /// How long what is acknowledged is kept, so that it can be asked for again.
    public var acknowledgedNanoseconds: Int64

    /// Limits.
    public init(maximumBytes: Int, maximumAgeNanoseconds: Int64, acknowledgedNanoseconds: Int64) {
        self.maximumBytes = maximumBytes
        self.maximumAgeNanoseconds = maximumAgeNanoseconds
        self.acknowledgedNanoseconds = acknowledgedNanoseconds
    }

    /// How many share the bytes, each with a segment that it cannot remove.
    var chains = 1

    /// The usual size of a segment; one is removed as a whole.
    var segmentBytes: Int { min(1 << 20, max(4_096, maximumBytes / 8 / chains)) }
}
