package import Readings

/// Assigns times to the locations of a file: their own, or a given interval.
package struct LocationSequence {
    private let intervalNanoseconds: Int64?
    private var count = 0
    private var start: Int64?
    private var last: Int64 = -1
    private var late = 0
    private var timeless = 0

    /// With an interval, times of the file do not count.
    package init(intervalNanoseconds: Int64?) { self.intervalNanoseconds = intervalNanoseconds }

    /// The sample of a location; nil if it is skipped because it has no time, or none after those before.
    package mutating func sample(of location: Location) -> ImportedSample? {
        count += 1
        let location = location.withoutFalsePosition
        let time = location.utcMicroseconds
        if let intervalNanoseconds {
            let offset = ImportedSample.offset(count - 1, intervalNanoseconds)
            return ImportedSample(offsetNanoseconds: offset, measurement: .location(location), utcMicroseconds: time)
        }
        guard let time else {
            timeless += 1
            return nil
        }
        let first = start ?? time
        start = first
        let microseconds = time.subtractingReportingOverflow(first)
        let offset = microseconds.partialValue.multipliedReportingOverflow(by: 1_000)
        let isFar = microseconds.overflow || offset.overflow
        guard time > first || last < 0, isFar || offset.partialValue > last else {
            late += 1
            return nil
        }
        last = isFar ? .max : offset.partialValue
        return ImportedSample(offsetNanoseconds: last, measurement: .location(location), utcMicroseconds: time)
    }

    /// Messages about what was skipped; throws if everything was.
    package func finish() throws(FormatError) -> [String] {
        guard count > 0 else { throw FormatError("it has no location") }
        guard intervalNanoseconds != nil || start != nil else {
            throw FormatError("it contains no times; give the time between its points: --interval 1s")
        }
        var notes: [String] = []
        if timeless > 0 { notes.append("\(timeless) points without a time were skipped") }
        if late > 0 { notes.append("\(late) points that are not later than the point before were skipped") }
        return notes
    }
}

extension Location {
    /// Without a fix there is no position, whatever the file says.
    fileprivate var withoutFalsePosition: Location {
        guard fix == .noPosition else { return self }
        var location = self
        (location.latitudeDegrees, location.longitudeDegrees, location.altitudeMeters) = (nil, nil, nil)
        return location
    }
}
