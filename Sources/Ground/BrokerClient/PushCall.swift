package import Readings
package import Varlink

extension JSONWriter {
    /// The most numbers in one call, so that none is as long as the broker's limit of 64 KiB.
    private static let mostNumbers = 1_024

    /// Writes calls that push samples of some resources: of all of them at the first time, then at the next one; no time: at the broker's
    /// when it gets them.
    ///
    /// All numbers are finite, and each resource's samples are of one kind. So many times before these were not sent.
    /// Returns how many times are in each call.
    @discardableResult
    package mutating func push(
        _ names: [String], times: [Int64], _ measurements: [Measurement], missing: Int = 0
    ) -> [Int] {
        precondition(!names.isEmpty && measurements.count == names.count * max(1, times.count), "no sample is missing")
        let kinds = measurements.prefix(names.count).map(\.kind)
        let most = kinds.contains(.location) ? 1 : Self.mostNumbers / kinds.reduce(0) { $0 + $1.row.channels.count + 1 }
        return stride(from: 0, to: max(1, times.count), by: most).map { first in
            let rows = first..<min(first + most, max(1, times.count))
            push(names, times.isEmpty ? [] : times[rows], rows, measurements, missing: first == 0 ? missing : 0)
            return rows.count
        }
    }

    private mutating func push(
        _ names: [String], _ times: ArraySlice<Int64>, _ rows: Range<Int>, _ measurements: [Measurement], missing: Int
    ) {
        beginObject()
        member("method", Interface.push)
        beginObject("parameters")
        beginArray("samples")
        for (column, name) in names.enumerated() {
            beginObject()
            member("resource", name)
            member("timestampNanoseconds", times.first)
            let index = { (row: Int) in row * names.count + column }
            switch measurements[index(rows.lowerBound)] {
            case .location(let location):
                key("location")
                value(.object(location.wholeObject))
            case .orientation, .values:
                beginObject("values")
                columns(of: rows.map { measurements[index($0)] })
                spacing(of: times)
                endObject()
            }
            endObject()
        }
        endArray()
        if missing > 0 { member("missing", Int64(missing)) }
        endObject()
        member("oneway", true)
        endObject()
        endMessage()
    }

    private mutating func columns(of measurements: [Measurement]) {
        beginObject("columns")
        for (channel, name) in (measurements.first?.kind.row.channels ?? []).enumerated() {
            key(escaping: name.description)
            numbers(measurements.map { $0.number(ofChannel: channel) ?? 0 })
        }
        endObject()
    }

    /// How far several times are apart: by one period if they are even, else each of them.
    private mutating func spacing(of times: ArraySlice<Int64>) {
        guard let first = times.first, let second = times.dropFirst().first else { return }
        let period = second &- first
        if zip(times, times.dropFirst()).allSatisfy({ $1 &- $0 == period }) {
            member("periodNanoseconds", period)
        } else {
            key("timestampsNanoseconds")
            integers(Array(times))
        }
    }
}

extension Measurement {
    /// Whether each of its numbers is one that can be sent.
    package var isFinite: Bool {
        switch self {
        case .orientation: true
        case .values(let values): values.numbers.allSatisfy(\.isFinite)
        case .location(let location):
            LocationField.all.allSatisfy { $0.value(of: location)?.isFinite ?? true }
                && (location.satellites ?? []).allSatisfy { satellite in
                    [satellite.elevationDegrees, satellite.azimuthDegrees, satellite.signalDecibelHertz]
                        .allSatisfy { $0?.isFinite ?? true }
                }
        }
    }
}
