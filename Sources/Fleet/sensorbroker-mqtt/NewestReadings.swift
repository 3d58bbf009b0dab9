internal import Fleet
internal import Platform
internal import Spool
internal import Varlink

/// The newest readings for Home Assistant and OwnTracks, which want no more: what they miss is not reported.
struct NewestReadings {
    private let topics: Topics
    private let assistant: HomeAssistant?
    private let ownTracks: String?
    private let resources: [String]
    private var readings: [Int: JSONObject] = [:]
    private var due: [Int64]

    /// Nil if neither is configured.
    init?(_ settings: FleetSettings, _ topics: Topics, ownTracks: String?) {
        guard settings.homeAssistant != nil || ownTracks != nil else { return nil }
        self.topics = topics
        self.ownTracks = ownTracks
        assistant = settings.homeAssistant.map {
            HomeAssistant(discovery: $0, host: topics.host, status: topics.status, version: Version.text)
        }
        resources = settings.readings.map(\.resource)
        due = resources.map { _ in .min }
    }

    /// What makes other programs find the sensors.
    var announcements: [(topic: String, text: [UInt8])] {
        guard let assistant else { return [] }
        return resources.flatMap { assistant.announcements(of: $0, newest: topics.newest(of: $0)) }
    }

    /// A resource was read.
    mutating func take(_ reading: JSONObject, of index: Int) { readings[index] = reading }

    /// What is to be shown now: each resource at most once a second.
    mutating func texts(_ now: Moment) -> [(topic: String, text: [UInt8])] {
        var texts: [(topic: String, text: [UInt8])] = []
        for (index, reading) in readings where due[index] <= now.bootNanoseconds {
            readings[index] = nil
            due[index] = now.bootNanoseconds + Nanoseconds.second
            if assistant != nil, let text = Newest.values(of: reading) {
                texts.append((topics.newest(of: resources[index]), text))
            }
            if let ownTracks, resources[index] == "location",
                let text = Newest.ownTracks(reading, host: topics.host, now: now)
            {
                texts.append((ownTracks, text))
            }
        }
        return texts
    }

    /// When something is to be shown; nil: nothing waits.
    var deadline: Int64? { readings.keys.map { due[$0] }.min() }
}
