internal import BrokerClient
internal import Platform
public import Readings
internal import Varlink

/// What sensors measured once: the lines that `sensorctl watch --format json` writes, one JSON object a line.
///
/// Readings count; the lines about gaps, states and grants are passed over. A last line without its end is that of a
/// recorder which was stopped, and is passed over too.
public struct Recording: Sendable {
    /// The samples of one resource, oldest first.
    public struct Track: Sendable {
        /// Its name.
        public let name: ResourceName
        /// What it measures.
        public let kind: ResourceKind
        /// What was measured, and how long after the recording's first sample.
        public var samples: [(offsetNanoseconds: Int64, measurement: Measurement)]
    }

    /// A track for each resource, in the order in which they first appear; not empty, and none of them is.
    public private(set) var tracks: [Track] = []

    /// The longest file that is read: it is kept in memory.
    static let maximumBytes = 256 << 20
    /// The most resources that are played.
    static let maximumTracks = 32

    /// Reads a file. `open(2)`, `read(2)`
    public init(path: String) throws(RecordingError) {
        let bytes: [UInt8]?
        do { bytes = try WholeFile.read(path, maximumBytes: Self.maximumBytes) } catch { throw .unreadable("\(error)") }
        guard let bytes else { throw .unreadable("there is no file \(path)") }
        try self.init(parsing: bytes)
    }

    init(parsing bytes: [UInt8]) throws(RecordingError) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // Behind the last line's end there is nothing, or half a line.
        lines.removeLast()
        for (index, line) in lines.enumerated() where !line.isEmpty {
            do { try add(Array(line)) } catch {
                throw .line(index + 1, error.words)
            }
        }
        guard let start = tracks.compactMap({ $0.samples.first?.offsetNanoseconds }).min() else { throw .empty }
        for track in tracks.indices {
            for sample in tracks[track].samples.indices { tracks[track].samples[sample].offsetNanoseconds -= start }
        }
    }

    private struct Misfit: Error {
        let words: String
    }

    private mutating func add(_ line: [UInt8]) throws(Misfit) {
        let value: JSONValue
        do { value = try JSONReader.read(line, limits: .replies) } catch { throw Misfit(words: "no JSON: \(error)") }
        guard case .object(let object) = value else { throw Misfit(words: "no JSON object") }
        // A line about something else has no number of a sample.
        guard object["sequence"] != nil else { return }
        let reading: Reading
        do { reading = try Reading(Parameters(object)) } catch { throw Misfit(words: "no reading: \(error.name)") }
        guard let name = ResourceName(reading.resource) else { throw Misfit(words: "no name of a resource") }
        switch reading.content {
        case .location(let location, _):
            try append(.location(location), to: name, .location, reading.timestampNanoseconds)
        case .acceleration(let samples):
            for sample in samples {
                try append(.acceleration(sample.value), to: name, .acceleration, sample.timestampNanoseconds)
            }
        case .orientation, .unknown: break
        }
    }

    private mutating func append(
        _ measurement: Measurement, to name: ResourceName, _ kind: ResourceKind, _ timestamp: Int64
    ) throws(Misfit) {
        guard timestamp >= 0 else { throw Misfit(words: "a time before the host's start") }
        guard let index = tracks.firstIndex(where: { $0.name == name }) else {
            guard tracks.count < Self.maximumTracks else { throw Misfit(words: "too many resources") }
            tracks.append(Track(name: name, kind: kind, samples: [(timestamp, measurement)]))
            return
        }
        guard tracks[index].kind == kind else { throw Misfit(words: "\(name) measured something else before") }
        guard let last = tracks[index].samples.last, last.offsetNanoseconds < timestamp else {
            throw Misfit(words: "\(name) is not later than on the lines before: one recording a file")
        }
        tracks[index].samples.append((timestamp, measurement))
    }
}
