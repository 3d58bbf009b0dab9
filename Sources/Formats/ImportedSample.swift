public import Readings

/// A sample read from another program's file.
public struct ImportedSample: Equatable, Sendable {
    /// Receives each sample with the line where it ends.
    public typealias Taker = (ImportedSample, Int) throws(FormatError) -> Void

    /// The time since the first sample; it increases strictly.
    public var offsetNanoseconds: Int64
    /// What was measured.
    public var measurement: Measurement
    /// UTC in microseconds since 1970, if the file has it.
    public var utcMicroseconds: Int64?

    /// Creates a sample.
    public init(offsetNanoseconds: Int64, measurement: Measurement, utcMicroseconds: Int64? = nil) {
        self.offsetNanoseconds = offsetNanoseconds
        self.measurement = measurement
        self.utcMicroseconds = utcMicroseconds
    }
}

extension ImportedSample {
    /// The offset of the n-th sample at a constant interval, clamped to what fits.
    static func offset(_ index: Int, _ intervalNanoseconds: Int64) -> Int64 {
        let (product, overflow) = intervalNanoseconds.multipliedReportingOverflow(by: Int64(index))
        return overflow ? .max : product
    }
}
