package import Readings

/// A sample read from another program's file.
public struct ImportedSample: Equatable, Sendable {
    /// Receives each sample with the line where it ends.
    public typealias Taker = (ImportedSample, Int) throws(FormatError) -> Void

    /// The time since some instant; it increases strictly from sample to sample of one sensor.
    public var offsetNanoseconds: Int64
    /// What was measured.
    package var measurement: Measurement
    /// UTC in microseconds since 1970, if the file has it.
    public var utcMicroseconds: Int64?
    /// Which sensor of several of its kind: 0 for the first.
    public var sensor: Int
    /// Which unbroken piece of the sensor's samples it is in: between two pieces something is missing.
    public var piece: Int

    /// Creates a sample.
    package init(
        offsetNanoseconds: Int64, measurement: Measurement, utcMicroseconds: Int64? = nil, sensor: Int = 0,
        piece: Int = 0
    ) {
        self.offsetNanoseconds = offsetNanoseconds
        self.measurement = measurement
        self.utcMicroseconds = utcMicroseconds
        self.sensor = sensor
        self.piece = piece
    }
}

extension ImportedSample {
    /// The offset of the n-th sample at a constant interval, clamped to what fits.
    package static func offset(_ index: Int, _ intervalNanoseconds: Int64) -> Int64 {
        let (product, overflow) = intervalNanoseconds.multipliedReportingOverflow(by: Int64(index))
        return overflow ? .max : product
    }
}
