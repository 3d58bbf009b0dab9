internal import Readings

/// How fast simulated time passes: `1`, `10`, `2.5`, or `max`, as fast as its clients read.
struct Speed: Equatable, Sendable, CustomStringConvertible {
    /// Times the host's time; infinite for as fast as possible.
    let tempo: Double

    /// The speed that a text says, if it does.
    init?(_ text: String) {
        if text == "max" {
            tempo = .infinity
            return
        }
        // Not every Double that Swift reads is one that a person writes: no hexadecimals, no infinities.
        guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") }), let tempo = Double(text),
            (1...100_000).contains(tempo)
        else { return nil }
        self.tempo = tempo
    }

    /// As it is written.
    var description: String {
        if tempo == .infinity { return "max" }
        return tempo == tempo.rounded() ? "\(Int(clamping: tempo))" : "\(tempo)"
    }

    /// What can be written.
    static let words = "how many times as fast as usual, from 1 to 100000, or max"
}
