internal import BrokerClient
internal import Platform
internal import Replay
internal import Varlink

/// Makes the lines of a recording of a stream's replies; pure.
struct Recorder {
    /// Samples so far.
    private(set) var readings = 0
    /// Gaps so far.
    private(set) var gaps = 0
    /// The last state of each resource that does not work.
    private(set) var troubles: [String: String] = [:]
    private let format = JSONFormat()
    /// How far the broker's clock is ahead of this program's: a broker with simulated time skips idle periods.
    private var aheadNanoseconds: Int64 = 0

    /// The first line of a session: the format, the requests and the clocks.
    static func header(_ requests: [Request], bootNanoseconds: Int64, utcMicroseconds: Int64) -> String {
        JSONFormat.line([
            "recording": .object([
                "format": .string(RecordingFormat.name), "version": .integer(RecordingFormat.version),
                "program": .string("sensorctl \(Version.text)"), "bootNanoseconds": .integer(bootNanoseconds),
                "utcMicroseconds": .integer(utcMicroseconds), "requests": .array(requests.map { $0.json }),
            ])
        ])
    }

    /// The lines of a reply that arrived at an instant, with at most `most` readings in all.
    mutating func lines(of update: Update, atNanoseconds now: Int64, atMost most: Int = .max) -> [String] {
        for stamp in update.readings.map(\.timestampNanoseconds) {
            aheadNanoseconds = max(aheadNanoseconds, stamp.subtractingReportingOverflow(now).partialValue)
        }
        for resource in update.resources {
            troubles[resource.name] = ["starting", "active"].contains(resource.state) ? nil : resource.stateText
        }
        var lines = update.events.compactMap { event -> String? in
            // The name of the subscription means nothing to a reader of the recording.
            if case .subscription = event { return nil }
            if case .gap = event { gaps += 1 }
            return format.line(about: event, atNanoseconds: now &+ aheadNanoseconds)
        }
        for reading in update.readings where readings < most {
            readings += reading.sampleCount
            lines += format.rows(of: reading)
        }
        return lines
    }
}
