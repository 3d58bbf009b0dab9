internal import BrokerClient
internal import Configuration
internal import Fleet
internal import MQTT
internal import Platform
internal import Spool

/// The streams from the broker: what they bring goes into the spool, and what the server wants of them to the broker.
final class Subscriptions {
    private let subscriptions: [Subscription]
    private let topics: Topics
    private let writer: SpoolWriter
    private let uplink: Uplink
    private let journal: Journal
    private var control: RemoteControl?
    private var newestReadings: NewestReadings?
    /// The connection to the server that was noticed last.
    private var connection: Int?
    private var loggedComplaints: [String?]
    private var isEnding = false

    /// The tokens of streams, and of changes to them.
    private static let streams: UInt64 = 16
    private static let changes: UInt64 = 1_024

    init(
        _ settings: FleetSettings, _ topics: Topics, ownTracks: String?, paths: [String], _ writer: SpoolWriter,
        _ uplink: Uplink, _ journal: Journal, dial: @escaping BrokerDialer
    ) {
        subscriptions = zip(settings.readings, writer.missing).map {
            Subscription($0, missing: $1, paths: paths, dial: dial)
        }
        assert(subscriptions.count < Self.changes - Self.streams, "tokens of streams and of changes differ")
        loggedComplaints = subscriptions.map { _ in nil }
        self.topics = topics
        self.writer = writer
        self.uplink = uplink
        self.journal = journal
        if settings.allowsRemoteInterval {
            control = RemoteControl(settings.readings, minimumNanoseconds: settings.minimumInterval?.nanoseconds)
        }
        newestReadings = NewestReadings(settings, topics, ownTracks: ownTracks)
    }

    /// Does all that is due; when to be called again.
    func turn(_ now: Moment, _ loop: inout EventLoop, _ ready: ReadyList) throws(SystemError) -> Int64 {
        let boot = now.bootNanoseconds
        var wake = Int64.max
        // What is read before the first messages could not be numbered.
        guard writer.hasBegun else { return wake }
        if !isEnding {
            noticeConnection(boot)
            followWishes(boot)
        }
        for (index, subscription) in subscriptions.enumerated() {
            try turn(subscription, index, now, &loop, ready)
            wake = min(wake, subscription.deadline ?? .max)
        }
        guard !isEnding else { return wake }
        for (stream, text) in control?.takeReports() ?? [] { uplink.post(text, on: topics.grant(of: stream), boot) }
        if uplink.link.isOnline {
            for (topic, text) in newestReadings?.texts(now) ?? [] { uplink.post(text, on: topic, boot) }
            wake = min(wake, newestReadings?.deadline ?? .max)
        }
        return min(wake, control?.deadline ?? .max)
    }

    private func turn(
        _ subscription: Subscription, _ index: Int, _ moment: Moment, _ loop: inout EventLoop, _ ready: ReadyList
    ) throws(SystemError) {
        let now = moment.bootNanoseconds
        let (stream, change) = (Self.streams + UInt64(index), Self.changes + UInt64(index))
        if ready.contains(where: { $0.token == change }) { subscription.receiveChange() }
        if ready.contains(where: { $0.token == stream }) {
            for members in subscription.receive(now) {
                writer.take(members, of: index, moment)
                let resource = writer.spool.streams[index]
                if let batch = subscription.fit(
                    members.count, within: uplink.mostBytes(of: resource), isOnline: uplink.link.isOnline, now)
                {
                    journal.write(
                        .notice,
                        "the server takes no messages of \(resource) with \(members.count) bytes: batches of \(batch / 1_000_000) ms are asked for"
                    )
                }
            }
        }
        if let gap = subscription.overdueGap(now) { writer.take(gap, of: index, moment) }
        if !isEnding, subscription.isDue(now), let number = subscription.connect(now) {
            try loop.add(number, .read, token: stream)
        }
        if let number = subscription.modify(now) { try loop.add(number, .read, token: change) }
        if newestReadings != nil, let reading = subscription.takeNewest() { newestReadings?.take(reading, of: index) }
        for answer in subscription.takeAnswers() {
            switch answer {
            case .granted(let cadence): control?.grant(cadence, of: index)
            case .refused(let words): control?.refuse(words, of: index)
            }
        }
        logComplaint(index, subscription.complaint)
    }

    /// The program ends: the broker is asked for what it has gathered so far.
    func drain() {
        isEnding = true
        for subscription in subscriptions { subscription.drain() }
    }

    /// Whether nothing more is to come of that.
    var hasDrained: Bool { subscriptions.allSatisfy(\.hasDrained) }

    /// A new connection to the server begins without anything that was published on the former one.
    private func noticeConnection(_ now: Int64) {
        let current = uplink.link.isOnline ? uplink.link.generation : nil
        guard current != connection else { return }
        connection = current
        guard current != nil else {
            control?.disconnect()
            return
        }
        control?.connect(now)
        for (topic, text) in newestReadings?.announcements ?? [] { uplink.post(text, on: topic, now) }
    }

    private func followWishes(_ now: Int64) {
        guard control != nil else { return }
        for (resource, payload) in uplink.takeSets() { control?.take(payload, of: resource) }
        for (index, cadence) in control?.changes(now) ?? [] where !subscriptions[index].change(to: cadence) {
            control?.postpone(index)
        }
    }

    private func logComplaint(_ index: Int, _ complaint: String?) {
        guard complaint != loggedComplaints[index] else { return }
        loggedComplaints[index] = complaint
        if let complaint { journal.write(.warning, complaint) }
    }
}
