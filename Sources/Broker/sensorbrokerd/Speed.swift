internal import Readings

/// The speed of simulated time: `1`, `10`, `2.5`, or `max`, which is as fast as clients read.
struct Speed: Equatable, Sendable, CustomStringConvertible {
    /// The factor over the host's time; infinite for `max`.
    let tempo: Double

    init?(_ text: String) {
        if text == "max" {
            tempo = .infinity
            return
        }
        // `Double` also accepts hexadecimal numbers and infinities.
        guard text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }), let tempo = Double(text),
            (1...100_000).contains(tempo)
        else { return nil }
        self.tempo = tempo
    }

    var description: String {
        if tempo == .infinity { return "max" }
        return tempo == tempo.rounded() ? "\(Int(clamping: tempo))" : "\(tempo)"
    }

    /// What can be written, for messages.
    static let words = "a factor from 1 to 100000, or max"
}
