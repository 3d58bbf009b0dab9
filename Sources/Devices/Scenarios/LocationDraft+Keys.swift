internal import Mock
internal import Readings

extension LocationDraft {
    static let keys: [ScenarioKey<Self>] = [
        ScenarioKey("Description") { (text, draft, _) throws(Refusal) in draft.description = text },
        ScenarioKey("Rates") { (text, draft, _) throws(Refusal) in draft.rates = try Rates.intervals(text) },
        ScenarioKey("Position") { (text, draft, _) throws(Refusal) in
            draft.ways.append(("Position", .stops([try Places.stop(text)], at: .none)))
        },
        ScenarioKey("Waypoint", isRepeated: true) { (text, draft, _) throws(Refusal) in
            try draft.add(try Places.stop(text))
        },
        ScenarioKey("GreatCircle") { (text, draft, _) throws(Refusal) in
            draft.ways.append(("GreatCircle", .stops(try Places.greatCircle(text), at: .none)))
        },
        ScenarioKey("Circle") { (text, draft, _) throws(Refusal) in
            draft.ways.append(("Circle", try Places.circle(text)))
        },
        ScenarioKey("Gpx") { (text, draft, files) throws(Refusal) in
            draft.ways.append(("Gpx", try Track.way(text, files)))
        },
        ScenarioKey("Speed") { (text, draft, _) throws(Refusal) in draft.speed = try Speeds.profile(text) },
        ScenarioKey("AtEnd") { (text, draft, _) throws(Refusal) in
            guard let atEnd = Journey.AtEnd(rawValue: text) else {
                throw Refusal(text, isNo: "end", write: "stop, repeat or return")
            }
            draft.atEnd = atEnd
        },
        ScenarioKey("Noise") { (text, draft, _) throws(Refusal) in
            guard let meters = NumberWithUnit.meters(text), (0...100_000).contains(meters) else {
                throw Refusal(text, isNo: "noise of a position", write: "a standard deviation such as 2.5m")
            }
            draft.traits.noiseMeters = meters
        },
        ScenarioKey("Satellites") { (text, draft, _) throws(Refusal) in
            let words = text.split(separator: " ").filter { $0 != "of" }.map { Int($0) }
            guard words.count == 2, let used = words[0], let visible = words[1], (0...64).contains(visible),
                (0...visible).contains(used)
            else { throw Refusal(text, isNo: "number of satellites", write: "used of visible, such as 9 of 12") }
            draft.traits.satellites = (used, visible)
        },
        ScenarioKey("Status") { (text, draft, _) throws(Refusal) in
            guard let status = Location.Status(rawValue: text) else {
                let words = Location.Status.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal(text, isNo: "status of a fix", write: "one of \(words)")
            }
            draft.traits.status = status
        },
        ScenarioKey("CorrectionAge") { (text, draft, _) throws(Refusal) in
            guard let seconds = NumberWithUnit.seconds(text), PossibleValues.correctionAges.contains(seconds) else {
                throw Refusal(text, isNo: "age of corrections", write: "a time such as 1.5s")
            }
            draft.traits.correctionAgeSeconds = seconds
        },
        ScenarioKey("CorrectionStation") { (text, draft, _) throws(Refusal) in
            guard let station = Int(text), PossibleValues.correctionStations.contains(station) else {
                throw Refusal(text, isNo: "number of a station", write: "a number from 0 to 4095")
            }
            draft.traits.correctionStation = station
        },
        ScenarioKey("Baseline") { (text, draft, _) throws(Refusal) in
            guard let meters = NumberWithUnit.meters(text), (0.01...1_000).contains(meters) else {
                throw Refusal(text, isNo: "distance of two antennas", write: "a length such as 1.2m")
            }
            draft.traits.baselineMeters = meters
        },
    ]
}
