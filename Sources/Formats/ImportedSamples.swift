public import Readings

/// What another program's file says, as samples of one resource.
public struct ImportedSamples: Sendable {
    /// A measurement, and how long after the first one it was made.
    public typealias Sample = (offsetNanoseconds: Int64, measurement: Measurement)

    /// What was measured; not empty, each later than the one before.
    public internal(set) var samples: [Sample] = []
    /// UTC of the first one, where the file says it; microseconds since 1970.
    public internal(set) var utcMicroseconds: Int64?
    /// What was passed over, and why: a line for people each.
    public internal(set) var notes: [String] = []

    /// Locations that say their time; those that are no later than the ones before are passed over.
    ///
    /// Where none does, one comes an interval after the other, if an interval is given.
    public init(locations: [Location], intervalNanoseconds: Int64?) throws(FormatError) {
        utcMicroseconds = locations.lazy.compactMap(\.utcMicroseconds).first
        guard !locations.isEmpty else { throw FormatError("there is no location in it") }
        if let intervalNanoseconds {
            samples = locations.enumerated().map { index, location in
                (Self.offset(index, intervalNanoseconds), .location(location.withoutFalsePosition))
            }
            return
        }
        guard let start = utcMicroseconds else {
            throw FormatError("there are no times in it; say how far apart its points are: --interval 1s")
        }
        var passed = (late: 0, timeless: 0)
        for location in locations {
            guard let time = location.utcMicroseconds else {
                passed.timeless += 1
                continue
            }
            let (offset, overflow) = (time &- start).multipliedReportingOverflow(by: 1_000)
            guard !overflow, offset > samples.last?.offsetNanoseconds ?? -1 else {
                passed.late += 1
                continue
            }
            samples.append((offset, .location(location.withoutFalsePosition)))
        }
        if passed.timeless > 0 { notes.append("\(passed.timeless) points without a time are left out") }
        if passed.late > 0 { notes.append("\(passed.late) points no later than those before them are left out") }
    }

    /// Accelerations; without times, one comes an interval after the other.
    public init(accelerations: [AccelerationColumns.Sample], intervalNanoseconds: Int64?) throws(FormatError) {
        for (index, sample) in accelerations.enumerated() {
            guard let offset = sample.offsetNanoseconds ?? intervalNanoseconds.map({ Self.offset(index, $0) }) else {
                throw FormatError(
                    "there is no column of times; name it, or say how far apart the rows are: --interval 10ms")
            }
            samples.append((offset, .acceleration(sample.acceleration)))
        }
    }

    /// Samples with times of their own.
    init(_ samples: [Sample], utcMicroseconds: Int64?) {
        self.samples = samples
        self.utcMicroseconds = utcMicroseconds
    }

    private static func offset(_ index: Int, _ intervalNanoseconds: Int64) -> Int64 {
        let (product, overflow) = intervalNanoseconds.multipliedReportingOverflow(by: Int64(index))
        return overflow ? .max / 4 : product
    }
}

extension Location {
    /// Without a fix there is no position, whatever a file says.
    fileprivate var withoutFalsePosition: Location {
        guard fix == .none else { return self }
        var location = self
        (location.latitudeDegrees, location.longitudeDegrees, location.altitudeMeters) = (nil, nil, nil)
        return location
    }
}
