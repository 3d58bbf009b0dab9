internal import BrokerClient
internal import Readings
internal import Varlink

/// Lines for people: local time, the resource, what it says with units.
struct TextFormat: StreamFormat {
    let clock: WallClock
    let style: Style
    let takesEventsAsNotes = false
    private var nameWidth = 0
    private var statesTold: [String: String] = [:]

    init(clock: WallClock, style: Style) {
        self.clock = clock
        self.style = style
    }

    mutating func begin(_ resources: [Resource]) -> [String] {
        nameWidth = resources.map { $0.name.count }.max() ?? 0
        return []
    }

    func rows(of reading: Reading) -> [String] {
        switch reading.content {
        case .location(let location, _):
            [line(reading.timestampNanoseconds, reading.resource, LocationText.text(location))]
                + (location.satellites ?? []).map { "  " + SatelliteText.text($0) }
        case .acceleration(let samples):
            samples.map { line($0.timestampNanoseconds, reading.resource, Self.text($0)) }
        case .orientation(let orientation):
            [line(reading.timestampNanoseconds, reading.resource, orientation.printable)]
        case .unknown:
            [line(reading.timestampNanoseconds, reading.resource, "of a kind that this sensorctl does not know")]
        }
    }

    mutating func line(about event: StreamEvent, atNanoseconds now: Int64) -> String? {
        switch event {
        case .subscription(let name):
            style.faint("subscription \(name.printable), which 'sensorctl set' can change")
        case .grant(let grant, _): line(now, grant.resource, style.faint(grant.text))
        case .resource(let resource): line(about: resource, now)
        case .gap(let gap): line(gap.fromNanoseconds, gap.resource, style.warning(gap.text))
        // The program ends of it, and says why.
        case .ended: nil
        }
    }

    /// The broker tells of a resource whenever anything of it changes; here only its state is told.
    private mutating func line(about resource: Resource, _ now: Int64) -> String? {
        let state = resource.stateText
        guard statesTold.updateValue(state, forKey: resource.name) != state else { return nil }
        return line(now, resource.name, resource.reason == nil ? state : style.warning(state))
    }

    private func line(_ timestamp: Int64, _ resource: String, _ text: String) -> String {
        let name = style.strong(resource.printable.padded(to: nameWidth))
        return "\(style.faint(clock.localTime(timestamp)))  \(name)  \(text)"
    }

    private static func text(_ sample: Reading.AccelerationSample) -> String {
        func component(_ value: Double) -> String { DecimalText.signed(value, decimals: 3).rightAligned(to: 7) }
        return "x \(component(sample.value.x))  y \(component(sample.value.y))  z \(component(sample.value.z)) m/s²"
    }
}
