internal import Timing

/// Decides what each stream is asked for, by the messages that whoever operates the fleet left on the server.
///
/// What holds follows from the newest message of a stream alone: none, or one that is refused, means the configuration. It
/// is the server that keeps it, so nothing is written down here. After each connection a message has to come again, else
/// it was removed meanwhile. However many come, a stream changes once a second at most, to the newest one.
package struct RemoteControl: Sendable {
    private var streams: [ControlledStream]
    /// Until when messages have to come again; nil if they have, or there is no connection.
    private var confirmDue: Int64?

    /// How long a server takes at most to send what it keeps.
    private static let confirmationNanoseconds = 10 * Nanoseconds.second

    /// All streams as they are configured; `minimumNanoseconds` is the shortest interval that may be asked for, nil: that
    /// of the configuration.
    package init(_ readings: [WantedReading], minimumNanoseconds: Int64?) {
        streams = readings.map { ControlledStream($0, leastNanoseconds: minimumNanoseconds) }
    }

    /// A message for a stream came; an empty one removes what it had.
    package mutating func take(_ payload: [UInt8], of name: String) {
        if let index = streams.firstIndex(where: { $0.name == name }) { streams[index].take(payload) }
    }

    /// A connection is ready: the server sends what it keeps.
    package mutating func connect(_ now: Int64) {
        var isDoubtful = false
        for index in streams.indices { isDoubtful = streams[index].doubt() || isDoubtful }
        confirmDue = isDoubtful ? now + Self.confirmationNanoseconds : nil
    }

    /// The connection has ended: what was there stays in force.
    package mutating func disconnect() { confirmDue = nil }

    /// The streams that have to be asked for something else now.
    package mutating func changes(_ now: Int64) -> [(stream: Int, cadence: Cadence)] {
        if let due = confirmDue, due <= now {
            confirmDue = nil
            for index in streams.indices { streams[index].expire() }
        }
        return streams.indices.compactMap { streams[$0].follow(now) ? ($0, streams[$0].inForce) : nil }
    }

    /// When to look for changes; nil if none are to come.
    package var deadline: Int64? { ([confirmDue] + streams.map(\.due)).compactMap(\.self).min() }

    package mutating func grant(_ cadence: Cadence, of stream: Int) { streams[stream].grant(cadence) }

    package mutating func refuse(_ words: String, of stream: Int) { streams[stream].refuse(words) }

    /// There is no stream at present: it will be asked for when there is a broker.
    package mutating func postpone(_ stream: Int) { streams[stream].postpone() }

    /// What has to be reported of streams, by their names; then it counts as reported.
    package mutating func takeReports() -> [(stream: String, text: [UInt8])] {
        streams.indices.compactMap { index in streams[index].takeReport().map { (streams[index].name, $0) } }
    }
}
