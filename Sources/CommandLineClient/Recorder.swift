internal import BrokerClient
internal import Platform
internal import Replay
internal import Varlink

/// What a stream tells, as lines of a recording; pure.
struct Recorder {
    /// Samples so far.
    private(set) var readings = 0
    /// Gaps so far.
    private(set) var gaps = 0
    /// What the broker said last of each resource that is not well.
    private(set) var troubles: [String: String] = [:]
    private let format = JSONFormat()
    /// How far the broker's clock is ahead of this program's: one that plays faster leaves out pauses.
    private var aheadNanoseconds: Int64 = 0

    /// The line with which a recorder begins: what this is, and what the clocks show.
    static func header(_ requests: [Request], bootNanoseconds: Int64, utcMicroseconds: Int64) -> String {
        JSONFormat.line([
            "recording": .object([
                "format": .string(RecordingFormat.name), "version": .integer(RecordingFormat.version),
                "program": .string("sensorctl \(Version.text)"), "bootNanoseconds": .integer(bootNanoseconds),
                "utcMicroseconds": .integer(utcMicroseconds), "requests": .array(requests.map { $0.json }),
            ])
        ])
    }

    /// The lines of a reply that came at an instant, with so many readings at most.
    mutating func lines(of update: Update, atNanoseconds now: Int64, atMost most: Int = .max) -> [String] {
        for stamp in update.readings.map(\.timestampNanoseconds) {
            aheadNanoseconds = max(aheadNanoseconds, stamp.subtractingReportingOverflow(now).partialValue)
        }
        for resource in update.resources {
            troubles[resource.name] = ["starting", "active"].contains(resource.state) ? nil : resource.stateText
        }
        var lines = update.events.compactMap { event -> String? in
            // It names what is over when somebody reads this.
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
