internal import BrokerClient
internal import Platform
internal import Varlink

/// Makes the lines of a recording of a stream's replies; pure.
struct Recorder {
    /// Samples so far, but those that could not be written.
    private(set) var readings = 0
    /// Gaps so far, with those that samples leave that could not be written.
    private(set) var gaps = 0
    /// Samples that could not be written, which no file reports so far.
    private(set) var lost = 0
    /// The last state of each resource that does not work.
    private(set) var troubles: [String: String] = [:]
    private let format = JSONFormat()
    /// How far the broker's clock is ahead of this program's: a broker with simulated time skips idle periods.
    private var aheadNanoseconds: Int64 = 0
    /// What holds at present, with which a further file begins.
    private var resources: [String: Resource] = [:]
    private var grants: [String: Grant] = [:]
    private var revision: Int64?
    /// The readings that could not be written, by resource, as of any client that does not take its own.
    private var missed: [String: Gap] = [:]

    /// The first line of a session: the format, the requests, the clocks, and whether the second one follows a reference.
    ///
    /// In a further file it is that of a session which goes on, with the first clock's value in the header of the file before.
    static func header(
        _ requests: [Request], bootNanoseconds: Int64, utcMicroseconds: Int64, isSynchronized: Bool? = nil,
        continuesNanoseconds: Int64? = nil
    ) -> String {
        var header: JSONObject = [
            "format": .string(RecordingFormat.name), "version": .integer(RecordingFormat.version),
            "program": .string("sensorctl \(Version.text)"), "bootNanoseconds": .integer(bootNanoseconds),
            "utcMicroseconds": .integer(utcMicroseconds), "requests": .array(requests.map { $0.json }),
        ]
        header.member("synchronized", isSynchronized)
        header.member("continuesNanoseconds", continuesNanoseconds)
        return JSONFormat.line(["recording": .object(header)])
    }

    /// The lines of a reply that arrived at an instant, with at most `most` readings in all.
    mutating func lines(
        of update: Update, atNanoseconds now: Int64, atMost most: Int = .max
    ) throws(VarlinkError) -> [String] {
        for stamp in update.readings.map(\.timestampNanoseconds) {
            aheadNanoseconds = max(aheadNanoseconds, stamp.subtractingReportingOverflow(now).partialValue)
        }
        for resource in update.resources {
            troubles[resource.name] = ["starting", "active"].contains(resource.state) ? nil : resource.stateText
        }
        let instant = now &+ aheadNanoseconds
        var lines = update.events.compactMap { event -> String? in
            switch event {
            // The name of the subscription means nothing to a reader of the recording.
            case .subscription: return nil
            case .gap: gaps += 1
            case .resource(let resource): resources[resource.name] = resource
            case .grant(let grant, let revision):
                grants[grant.resource] = grant
                self.revision = revision ?? self.revision
            case .ended: break
            }
            return format.line(about: event, atNanoseconds: instant)
        }
        for whole in update.readings where readings < most {
            let reading = try whole.prefix(most - readings)
            readings += reading.sampleCount
            lines += format.rows(of: reading)
        }
        return lines + (update.end.flatMap { format.line(about: $0, atNanoseconds: instant) }.map { [$0] } ?? [])
    }

    /// The lines behind the header of a further file: what holds at an instant, and what could not be written before.
    func opening(atNanoseconds now: Int64) -> [String] {
        let known =
            resources.values.sorted { $0.name < $1.name }.map { StreamEvent.resource($0) }
            + grants.values.sorted { $0.resource < $1.resource }.map { .grant($0, revision: revision) }
        let gaps = missed.sorted { $0.key < $1.key }.map { StreamEvent.gap($0.value) }
        return (known + gaps).compactMap { format.line(about: $0, atNanoseconds: now &+ aheadNanoseconds) }
    }

    /// The lines of this reply, with so many samples, could not be written.
    mutating func miss(_ update: Update, samples: Int) {
        readings -= samples
        lost += samples
        // They become a part of the gap that is reported.
        gaps -= update.gaps.count
        for gap in update.gaps {
            miss(gap.resource, gap.count, gap.fromNanoseconds, gap.untilNanoseconds)
        }
        for reading in update.readings {
            miss(
                reading.resource, Int64(reading.sampleCount), reading.timestampNanoseconds,
                reading.lastTimestampNanoseconds)
        }
    }

    /// Without a count once that of one of them is unknown.
    private mutating func miss(_ name: String, _ count: Int64?, _ from: Int64, _ until: Int64) {
        if missed[name] == nil { gaps += 1 }
        let former = missed[name] ?? Gap(name, cause: "slowClient", count: 0, from: from, until: until)
        let sum = former.count.flatMap { known in count.map { known.addingReportingOverflow($0).partialValue } }
        missed[name] = Gap(
            name, cause: former.cause, count: sum, from: former.fromNanoseconds,
            until: max(former.untilNanoseconds, until))
    }

    /// What could not be written has been reported in the opening of a file.
    mutating func didReport() { (missed, lost) = ([:], 0) }
}
