internal import BrokerClient
internal import Configuration
internal import Fleet
internal import Platform
internal import Spool

/// The streams from the broker: what they bring goes into the spool, and what the server wants of them to the broker.
final class Feeds {
    private let feeds: [Feed]
    private let topics: Topics
    private let store: Store
    private let uplink: Uplink
    private let journal: Journal
    private var control: RemoteControl?
    private var showcase: Showcase?
    /// The connection to the server that was noticed last.
    private var connection: Int?
    private var loggedComplaints: [String?]
    /// Whether the program ends.
    private var isEnding = false

    /// The tokens of streams, and of changes to them.
    private static let streams: UInt64 = 16
    private static let changes: UInt64 = 1_024

    init(
        _ settings: FleetSettings, _ topics: Topics, ownTracks: String?, paths: [String], _ store: Store,
        _ uplink: Uplink, _ journal: Journal, dial: @escaping BrokerDialer
    ) {
        feeds = zip(settings.readings, store.missing).map { Feed($0, missing: $1, paths: paths, dial: dial) }
        loggedComplaints = feeds.map { _ in nil }
        self.topics = topics
        self.store = store
        self.uplink = uplink
        self.journal = journal
        if settings.allowsRemoteInterval {
            control = RemoteControl(settings.readings, minimumNanoseconds: settings.minimumInterval?.nanoseconds)
        }
        showcase = Showcase(settings, topics, ownTracks: ownTracks)
    }

    /// Does all that is due; when to be called again.
    func turn(_ now: Moment, _ loop: inout EventLoop, _ ready: ReadyList) throws(SystemError) -> Int64 {
        let boot = now.bootNanoseconds
        var wake = Int64.max
        // What is read before the first messages could not be numbered.
        guard store.hasBegun else { return wake }
        if !isEnding {
            noticeConnection(boot)
            followWishes(boot)
        }
        for (index, feed) in feeds.enumerated() {
            try turn(feed, index, now, &loop, ready)
            wake = min(wake, feed.deadline ?? .max)
        }
        guard !isEnding else { return wake }
        for (stream, text) in control?.news() ?? [] { uplink.post(text, on: topics.grant(of: stream), boot) }
        if uplink.isOnline {
            for (topic, text) in showcase?.texts(now) ?? [] { uplink.post(text, on: topic, boot) }
            wake = min(wake, showcase?.deadline ?? .max)
        }
        return min(wake, control?.deadline ?? .max)
    }

    private func turn(
        _ feed: Feed, _ index: Int, _ moment: Moment, _ loop: inout EventLoop, _ ready: ReadyList
    ) throws(SystemError) {
        let now = moment.bootNanoseconds
        let (stream, change) = (Self.streams + UInt64(index), Self.changes + UInt64(index))
        if ready.contains(where: { $0.token == change }) { feed.receiveChange() }
        if ready.contains(where: { $0.token == stream }) {
            for members in feed.receive(now) ?? [] {
                store.take(members, of: index, moment)
                let resource = store.spool.streams[index]
                if let batch = feed.fit(members.count, within: uplink.mostBytes(of: resource), now) {
                    journal.write(
                        .notice,
                        "the server takes no messages of \(resource) with \(members.count) bytes: batches of \(batch / 1_000_000) ms are asked for"
                    )
                }
            }
        }
        if let gap = feed.overdueGap(now) { store.take(gap, of: index, moment) }
        if !isEnding, feed.isDue(now), let number = feed.connect(now) {
            try loop.add(number, .read, token: stream)
        }
        if let number = feed.modify(now) { try loop.add(number, .read, token: change) }
        if showcase != nil, let reading = feed.takeNewest() { showcase?.take(reading, of: index) }
        for answer in feed.takeAnswers() {
            switch answer {
            case .granted(let cadence): control?.grant(cadence, of: index)
            case .refused(let words): control?.refuse(words, of: index)
            }
        }
        tellComplaint(index, feed.complaint)
    }

    /// The program ends: the broker is asked for what it has gathered so far.
    func drain() {
        isEnding = true
        for feed in feeds { feed.drain() }
    }

    /// Whether nothing more is to come of that.
    var hasDrained: Bool { feeds.allSatisfy(\.hasDrained) }

    /// A new connection to the server begins without anything that was said on the former one.
    private func noticeConnection(_ now: Int64) {
        let current = uplink.isOnline ? uplink.generation : nil
        guard current != connection else { return }
        connection = current
        guard current != nil else {
            control?.disconnect()
            return
        }
        control?.connect(now)
        for (topic, text) in showcase?.announcements ?? [] { uplink.post(text, on: topic, now) }
    }

    private func followWishes(_ now: Int64) {
        guard control != nil else { return }
        for (resource, payload) in uplink.takeSets() { control?.take(payload, of: resource) }
        for (index, cadence) in control?.changes(now) ?? [] where !feeds[index].change(to: cadence) {
            control?.postpone(index)
        }
    }

    private func tellComplaint(_ index: Int, _ complaint: String?) {
        guard complaint != loggedComplaints[index] else { return }
        loggedComplaints[index] = complaint
        if let complaint { journal.write(.warning, complaint) }
    }
}
