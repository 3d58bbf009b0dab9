public import Readings

/// A sample out of another program's file.
public struct ImportedSample: Equatable, Sendable {
    /// Who takes samples, each with the line where it ends, as they are read.
    public typealias Taker = (ImportedSample, Int) throws(FormatError) -> Void

    /// How long after the first one it was measured; each is later than the one before.
    public var offsetNanoseconds: Int64
    /// What was measured.
    public var measurement: Measurement
    /// UTC of it, microseconds since 1970, where the file says it.
    public var utcMicroseconds: Int64?

    /// A sample.
    public init(offsetNanoseconds: Int64, measurement: Measurement, utcMicroseconds: Int64? = nil) {
        self.offsetNanoseconds = offsetNanoseconds
        self.measurement = measurement
        self.utcMicroseconds = utcMicroseconds
    }
}

extension ImportedSample {
    /// How long after the first one a sample without a time is, so far apart from each other; as far as can be told.
    static func offset(_ index: Int, _ intervalNanoseconds: Int64) -> Int64 {
        let (product, overflow) = intervalNanoseconds.multipliedReportingOverflow(by: Int64(index))
        return overflow ? .max : product
    }
}
