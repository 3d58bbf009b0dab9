internal import Devices

/// The sensor that the configuration wants as `accelerometer`, and that is not there, although it has been looked for.
struct UnmetChoice: Equatable, Sendable {
    /// What the configuration names.
    let chosen: String
    /// The sensors that are there instead, as one would look for them.
    let present: [String]

    private static let mostNamed = 4

    /// The choice among what is there.
    init(_ chosen: String, among sightings: [Sighting]) {
        self.chosen = chosen
        present = sightings.map { "\($0.title) at \($0.id)" }
    }

    /// What is wrong, and what to do about it; for people.
    var words: String {
        let problem = "there is no accelerometer '\(printable(chosen))', which [Accelerometer] Default= names"
        guard !present.isEmpty else { return "\(problem), and no other: connect it" }
        let named = present.prefix(Self.mostNamed).joined(separator: ", ")
        let more = present.count > Self.mostNamed ? " and \(present.count - Self.mostNamed) more" : ""
        return "\(problem), but \(named)\(more): connect it, or name another by its serial number, place, driver or "
            + "node, and restart sensorbrokerd"
    }
}
