internal import BrokerClient
internal import Printable
internal import Readings

/// Lines for people: a reading has its own time with date and zone, its resource, and then the columns of its kind.
///
/// Lines appear in the order in which the broker sends them, without delay. The first column of a reading is the time of
/// measurement. It never goes backwards for one resource, but readings of two resources may arrive out of order, and sorting
/// them would delay them. Other lines have the time at which the news arrived, as in `received at 12:03:04.512`, because the exact time of an
/// event such as an unplugged sensor is not known.
///
/// On a terminal that is too narrow for a kind's lines, the date and the zone have a line of their own, once a day, and a location has
/// as many columns as fit.
struct TextFormat: StreamFormat {
    let clock: WallClock
    let style: Style
    let showsEvents = true
    private var news: News
    private var nameWidth = 8
    private var channels: [String: [Resource.Channel]] = [:]
    private var kindsHeaded: Set<ReadingColumns> = []
    /// The columns of the terminal; nil: as many as it takes.
    private let width: Int?
    private var isNarrow = false
    /// The day that was printed last.
    private var day = ""

    init(clock: WallClock, style: Style, news: News, width: Int? = nil) {
        self.clock = clock
        self.style = style
        self.news = news
        self.width = width
    }

    mutating func begin(_ resources: [Resource]) -> [String] {
        nameWidth = max(nameWidth, resources.map { $0.name.count }.max() ?? 0)
        for resource in resources { channels[resource.name] = resource.channels }
        return []
    }

    mutating func heading(for reading: Reading) -> [String] {
        let columns = ReadingColumns(reading, channels[reading.resource] ?? [])
        let nameLength = reading.resource.printable.count
        if nameLength > nameWidth || !kindsHeaded.contains(columns) {
            nameWidth = max(nameWidth, nameLength)
            let heading = columns.heading() + AlignedText.heading(reading, channels)
            if let width, !isNarrow, stamp(0).count + nameWidth + 4 + heading.count > width {
                isNarrow = true
                kindsHeaded = []
            }
        }
        let today = isNarrow ? clock.day(reading.timestampNanoseconds) : ""
        let date = today == day ? [] : [style.faint(today)]
        day = today
        guard kindsHeaded.insert(columns).inserted else { return date }
        let time = "TIME".padded(to: stamp(0).count)
        let heading = columns.heading(in: room) + AlignedText.heading(reading, channels)
        return date + [
            style.strong("\(time)  \("RESOURCE".padded(to: nameWidth))  \(heading)")
        ]
    }

    /// The time of a reading.
    private func stamp(_ instant: Int64) -> String { isNarrow ? clock.timeOfDay(instant) : clock.stamp(instant) }

    /// The columns behind the name; nil: as many as it takes.
    private var room: Int? { isNarrow ? width.map { $0 - stamp(0).count - nameWidth - 4 } : nil }

    func rows(of reading: Reading) -> [String] {
        switch reading.content {
        case .location(let location, _):
            // One row, and so one reading for --count, though it has several lines.
            let satellites = (location.satellites ?? []).map { "\n  " + SatelliteText.text($0) }
            let text = LocationText.text(location, in: room) + AlignedText.row(reading, 0, channels)
            return [line(reading.timestampNanoseconds, reading.resource, text) + satellites.joined()]
        case .values(let columns):
            let texts = ReadingColumns.rows(columns, of: reading.resource, channels[reading.resource] ?? [])
            return texts.indices.map { row in
                let text = texts[row] + AlignedText.row(reading, row, channels)
                return line(columns.timestampsNanoseconds[row], reading.resource, text)
            }
        case .orientation(let orientation):
            let text = orientation.printable + AlignedText.row(reading, 0, channels)
            return [line(reading.timestampNanoseconds, reading.resource, text)]
        case .unknown:
            return [line(reading.timestampNanoseconds, reading.resource, "of a kind that this sensorctl does not know")]
        }
    }

    mutating func line(about event: StreamEvent, atNanoseconds now: Int64) -> String? {
        switch event {
        case .subscription(let name):
            news.isVerbose ? style.faint("subscription \(name.printable), which 'sensorctl set' can change") : nil
        case .grant(let grant, _): news.takes(grant) ? eventLine(now, grant.resource, style.faint(grant.text)) : nil
        case .resource(let resource):
            news.takes(resource)
                ? eventLine(
                    now, resource.name,
                    resource.reason == nil ? resource.stateText : style.warning(resource.stateText)) : nil
        case .gap(let gap):
            eventLine(
                now, gap.resource,
                style.warning("\(GapText.text(gap)), beginning at \(clock.timeOfDay(gap.fromNanoseconds))"))
        // The program ends because of it and reports the reason.
        case .ended: nil
        }
    }

    private func line(_ timestamp: Int64, _ resource: String, _ text: String) -> String {
        let name = style.strong(resource.printable.padded(to: nameWidth))
        return "\(style.faint(stamp(timestamp)))  \(name)  \(text)"
    }

    /// A line that is not a reading.
    private func eventLine(_ now: Int64, _ resource: String, _ text: String) -> String {
        let time = ((isNarrow ? "" : "received at ") + clock.timeOfDay(now)).rightAligned(to: stamp(now).count)
        return "\(style.faint(time))  \(style.strong(resource.printable.padded(to: nameWidth)))  \(text)"
    }
}
