internal import BrokerClient
internal import Fleet
internal import Platform
internal import Spool
internal import Varlink

/// The lines of a recording that messages become.
enum RecordedLines {
    /// A message: its states, grants, gaps and readings, and at last which one it was, so that a recording can be continued.
    ///
    /// Also where its first reading is: who subscribes gets the newest reading at once, which may have been the last before.
    static func lines(of message: FleetMessage, _ resource: String) -> (bytes: [UInt8], first: Range<Int>) {
        let readings = message.objects("readings")
        let instant = readings.first?.integer("timestampNanoseconds") ?? message.clock?.moment.bootNanoseconds
        var lines: [UInt8] = []
        for state in message.objects("resources") {
            var object: JSONObject = ["resource": .object(state)]
            object.member("atNanoseconds", instant)
            lines += line(object)
        }
        for grant in message.objects("grants") { lines += line(["grant": .object(grant)]) }
        for gap in message.objects("gaps") { lines += line(["gap": .object(gap)]) }
        var first = lines.count..<lines.count
        for reading in readings where reading["sequence"] != nil {
            lines += line(reading)
            if first.isEmpty { first = first.lowerBound..<lines.count }
        }
        lines += mark(LastMessages.Mark(resource: resource, epoch: message.epoch, number: message.number))
        return (lines, first)
    }

    /// Which message it was, and when its last sample was measured if that stands elsewhere.
    static func mark(_ mark: LastMessages.Mark) -> [UInt8] {
        var object: JSONObject = [
            "resource": .string(mark.resource), "epoch": .string(mark.epoch.description),
            "number": .integer(Int64(clamping: mark.number)),
        ]
        object.member("lastNanoseconds", mark.stamp)
        return line(["message": .object(object)])
    }

    /// What was not read at the end of a boot, for the session of that boot.
    static func gap(_ gap: FormerGap, _ resource: String) -> [UInt8] {
        line(["gap": .object(gap.object(of: resource))])
    }

    /// The beginning of a session, by both clocks or by a guess.
    static func header(_ host: String, _ clock: ClockReading?, _ guess: Moment) -> [UInt8] {
        let moment = clock?.moment ?? guess
        var header: JSONObject = [
            "format": .string(RecordingFormat.name), "version": .integer(RecordingFormat.version),
            "program": .string("sensorctl fleet \(Version.text)"), "bootNanoseconds": .integer(moment.bootNanoseconds),
            "utcMicroseconds": .integer(moment.utcMicroseconds), "requests": [], "host": .string(host),
        ]
        header.member("bootId", clock?.bootID.description)
        header.member("synchronized", clock?.moment.isSynchronized)
        if clock == nil { header.member("guessed", true) }
        return line(["recording": .object(header)])
    }

    /// Messages that did not come, and why as far as the host reported.
    static func gap(
        _ resource: String, _ epoch: Identity, _ numbers: ClosedRange<UInt64>, _ cause: String?, from: Int64,
        until: Int64
    ) -> [UInt8] {
        line([
            "gap": [
                "resource": .string(resource), "cause": .string(cause ?? unreportedCause),
                "fromNanoseconds": .integer(from),
                "untilNanoseconds": .integer(until),
                "messages": [
                    "epoch": .string(epoch.description), "from": .integer(Int64(clamping: numbers.lowerBound)),
                    "to": .integer(Int64(clamping: numbers.upperBound)),
                ],
            ]
        ])
    }

    /// The host did not report why: it may be in the recording of what came late.
    static let unreportedCause = "missing"

    /// An object as a line; its form is that in which every reader of recordings reads fastest.
    static func line(_ object: JSONObject) -> [UInt8] { object.bytes + [UInt8(ascii: "\n")] }
}
