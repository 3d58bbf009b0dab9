internal import Devices
internal import Readings

// How a trace describes events, in few words.

extension Sample {
    var words: String { "\(sequence)@\(timestamp.nanoseconds)" }
}

extension Gap {
    var words: String {
        "gap (\(cause.rawValue), \(count.map { "\($0)" } ?? "?"), \(from.nanoseconds)…\(until.nanoseconds))"
    }
}

extension DeviceEvent {
    var words: String {
        switch self {
        case .sample(let sample): "sample \(sample.words)"
        case .gap(let gap): "device lost \(gap.words)"
        default: "device \(self)"
        }
    }
}
