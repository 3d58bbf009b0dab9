internal import Configuration
internal import Formats
internal import Mock
internal import Readings

/// A scenario while its sections are parsed.
struct ScenarioDraft {
    var scenario = Scenario()
    private var locations: [(name: ResourceName, line: Int, draft: LocationDraft)] = []
    private var sensors: [HostSensors.Sensor] = []
    private var names: [ResourceName] = []
    private var kinds: [ResourceName: Kind] = [:]
    private var events: [EventLine] = []
    private var reader: SectionReader
    /// Whether a section was refused as a whole, by its name or as one too many, so that it may be the one that a name refers to.
    private var hasRefusedSection = false

    init(_ text: ConfigurationText, file: String, _ files: ScenarioFiles) {
        reader = SectionReader(file: file, files: files, problems: text.problems)
        for section in text.sections {
            do throws(Refusal) { try take(section) } catch {
                hasRefusedSection = true
                reader.complain(section.line, error)
            }
        }
    }

    /// Whether a resource that is missing may be one whose section has an error of its own, which is reported already.
    private func mayBeRefused(_ text: String) -> Bool {
        hasRefusedSection || ResourceName(text).flatMap { kinds[$0] } != nil
    }

    private mutating func take(_ section: ConfigurationSection) throws(Refusal) {
        switch section.name {
        case "Scenario": _ = reader.read(section, by: Self.keys, into: &scenario)
        case "Events": take(events: section)
        default:
            let (name, kind) = try device(section.name)
            if kind == .location {
                var draft = LocationDraft()
                guard reader.read(section, by: LocationDraft.keys, into: &draft) else { return }
                locations.append((name, section.line, draft))
            } else {
                var draft = ValuesDraft(kind)
                guard reader.read(section, by: ValuesDraft.keys(of: kind), into: &draft) else { return }
                sensors.append((name, section.line, draft))
            }
        }
    }

    private mutating func device(_ text: String) throws(Refusal) -> (ResourceName, Kind) {
        let word = text.prefix { $0 != ":" }
        let known = Kind(resource: word)
        guard let name = ResourceName(text), let kind = known, kind.row.hasDevice else {
            if let kind = known, !kind.row.hasDevice {
                let sources = kind.row.origins.map { "[\($0.row.resource)]" }.joined(separator: " and ")
                throw Refusal("[\(word)] is derived from \(sources): leave it out")
            }
            let sections = ["Scenario"] + Kind.all.map(\.row).filter(\.hasDevice).map(\.resource) + ["Events"]
            throw Refusal(
                "there is no section [\(ConfigurationProblem.excerpt(text))]: "
                    + Suggestion.remedy(for: text, among: sections) { "[\($0)]" })
        }
        guard kinds[name] == nil else { throw Refusal("there are two sections [\(name)]: merge them") }
        guard names.count < Scenario.mostDevices else {
            throw Refusal(
                "these are more than \(Scenario.mostDevices) devices: leave this one out, or give it to another instance"
            )
        }
        add(name, kind)
        return (name, kind)
    }

    private mutating func add(_ name: ResourceName, _ kind: Kind) {
        names.append(name)
        kinds[name] = kind
    }

    private mutating func take(events section: ConfigurationSection) {
        for entry in section.entries {
            do throws(Refusal) {
                switch entry.key {
                case "At": events.append(try EventLine(at: entry.value, line: entry.line))
                case "Every": events.append(try EventLine(every: entry.value, line: entry.line))
                default:
                    throw Refusal(
                        "[Events] has no '\(ConfigurationProblem.excerpt(entry.key))=': write At=30s unplug accelerometer "
                            + "for 5s, or Every=1min drop 20 accelerometer")
                }
            } catch {
                reader.complain(entry.line, error, entry.key == "At" || entry.key == "Every" ? "\(entry.key)=" : nil)
            }
        }
    }

    private static let keys: [ScenarioKey<Scenario>] = [
        ScenarioKey("Description") { (text, scenario, _) throws(Refusal) in scenario.description = text },
        ScenarioKey("Seed") { (text, scenario, _) throws(Refusal) in
            guard let seed = UInt64(text) else {
                throw Refusal(text, isNo: "seed", write: "a whole number, such as 42")
            }
            scenario.seed = seed
        },
        ScenarioKey("Speed") { (text, scenario, _) throws(Refusal) in
            guard let tempo = Scenario.tempo(text) else {
                throw Refusal(text, isNo: "factor", write: "a number from 1 to 100000, or max")
            }
            scenario.tempo = tempo
        },
        ScenarioKey("Start") { (text, scenario, _) throws(Refusal) in
            guard let time = CalendarTime.microseconds(text), abs(time) < 9_000_000_000_000_000 else {
                throw Refusal(text, isNo: "time", write: "UTC such as 2026-05-01T12:00:00Z, in the years 1700 to 2250")
            }
            scenario.utcNanoseconds = time * 1_000
        },
    ]

    /// The scenario, if there are no errors.
    mutating func finished() throws(ConfigurationErrors) -> Scenario {
        var scripts: [ResourceName: MockScript] = [:]
        for (index, (name, line, draft)) in locations.enumerated() {
            do throws(Refusal) {
                scripts[name] = try draft.script(seed: scenario.seed &+ UInt64(index) &* 2)
            } catch { reader.complain(line, error, "[\(name)]") }
        }
        var host = HostSensors(sensors, at: place(scripts), seed: scenario.seed, reader.files)
        for (index, (name, line, draft)) in sensors.enumerated() where !isReported(draft.mountedOn) {
            do throws(Refusal) { scripts[name] = try host.script(index) } catch {
                reader.complain(line, error, "[\(name)]")
            }
        }
        if names.isEmpty {
            for (index, kind) in Kind.all.enumerated() {
                guard let script = MockScript.usual(kind, seed: scenario.seed &+ UInt64(index)) else { continue }
                add(kind.row.firstResource, kind)
                scripts[kind.row.firstResource] = script
            }
        }
        let owners = owners()
        let timelines = timelines(owners)
        if let errors = ConfigurationErrors(reader.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) }) { throw errors }
        scenario.events = events.sorted { $0.atNanoseconds < $1.atNanoseconds }
        let parts = Dictionary(grouping: names.filter { owners[$0] != nil }) { owners[$0] }
        scenario.plans = names.filter { owners[$0] == nil }.compactMap { name in
            let further = (parts[name] ?? []).compactMap { part in scripts[part].map { (name: part, script: $0) } }
            return scripts[name].map {
                MockDevices.Plan(name, $0, timelines[name] ?? FaultTimeline(), further: further)
            }
        }
        return scenario
    }

    /// Whether a named section is one that has been refused, so that nothing more needs to be reported.
    private func isReported(_ text: String?) -> Bool {
        guard let text else { return false }
        return mayBeRefused(text) && !sensors.contains { $0.name.description == text }
    }

    /// Where the first receiver is at the beginning.
    private func place(_ scripts: [ResourceName: MockScript]) -> Location? {
        guard let script = locations.first.flatMap({ scripts[$0.name] }),
            case .location(let location) = script.measure(MockScript.Instant(beginning: nil))
        else { return nil }
        return location
    }

    /// The sensors that are part of another sensor's device, each with that sensor.
    private mutating func owners() -> [ResourceName: ResourceName] {
        var owners: [ResourceName: ResourceName] = [:]
        var words: [ResourceName: Set<Substring>] = [:]
        let own = Set(sensors.lazy.filter { $0.draft.partOf == nil }.map(\.name))
        for (name, line, draft) in sensors {
            guard let text = draft.partOf else { continue }
            do throws(Refusal) {
                guard let owner = try owner(text, of: name, draft, among: own) else { continue }
                guard words[owner, default: [owner.word]].insert(name.word).inserted else {
                    throw Refusal(
                        "the device of [\(owner)] has another \(name.word), and a device can have only one of each kind"
                    )
                }
                owners[name] = owner
            } catch { reader.complain(line, error, "[\(name)]") }
        }
        return owners
    }

    private func owner(
        _ text: String, of name: ResourceName, _ draft: ValuesDraft, among own: Set<ResourceName>
    ) throws(Refusal) -> ResourceName? {
        guard let owner = ResourceName(text), own.contains(owner) else {
            // Of a sensor that is itself part of another one, nothing has been reported.
            let isPart = sensors.contains { $0.name.description == text }
            if !isPart, text != name.description, mayBeRefused(text) { return nil }
            let known = sensors.map(\.name).filter(own.contains).map(\.description).joined(separator: " or ")
            throw Refusal(
                text, isNo: "sensor with its own device", write: known.isEmpty ? "a section for one" : known)
        }
        guard draft.rates == nil else {
            throw Refusal("PartOf= implies the rates of [\(owner)]: leave out Rates=, or write it there")
        }
        return owner
    }

    private mutating func timelines(_ owners: [ResourceName: ResourceName]) -> [ResourceName: FaultTimeline] {
        let devices = names.compactMap { name in kinds[name].map { (name: name, kind: $0) } }
        var timelines: [ResourceName: FaultTimeline] = [:]
        for event in events.sorted(by: { $0.atNanoseconds < $1.atNanoseconds }) {
            do throws(FaultRefusal) {
                let target = try event.words.order.target(named: event.words.resource, among: devices)
                timelines[owners[target] ?? target, default: FaultTimeline()].take(
                    event.words.order, at: event.atNanoseconds, everyNanoseconds: event.everyNanoseconds)
            } catch {
                if hasRefusedSection { continue }
                reader.complain(event.line, Refusal(error.words), event.everyNanoseconds == nil ? "At=" : "Every=")
            }
        }
        return timelines
    }
}

/// A `Key=` of a section: its name, and how it sets a value in the draft of a section.
struct ScenarioKey<Draft>: Sendable {
    let name: String
    /// Whether the key may occur more than once.
    let isRepeated: Bool
    let take: @Sendable (String, inout Draft, ScenarioFiles) throws(Refusal) -> Void

    init(
        _ name: String, isRepeated: Bool = false,
        take: @escaping @Sendable (String, inout Draft, ScenarioFiles) throws(Refusal) -> Void
    ) {
        self.name = name
        self.isRepeated = isRepeated
        self.take = take
    }
}
