internal import Formats
internal import Mock
internal import Readings

/// Parses numbers for the channels of a kind.
enum Numbers {
    /// Parses `X Y Z; X Y Z; …`: a number for each channel, in the kind's unit.
    static func samples(_ text: String, of kind: Kind) throws(Refusal) -> [Values] {
        var samples: [Values] = []
        let channels = kind.row.channels.count
        let example =
            channels == 3 ? "0 0 9.81; 0 0.5 9.7" : Array(repeating: "0.5", count: channels).joined(separator: " ")
        for part in text.split(separator: ";") {
            let values = part.split { $0 == " " || $0 == "," }.compactMap { DecimalNumber.value($0) }
            let words = part.split { $0 == " " || $0 == "," }
            var vector = SIMD4<Double>.zero
            for (channel, value) in values.prefix(channels).enumerated() { vector[channel] = value }
            guard values.count == channels, words.count == channels, kind.row.isPossible(vector) else {
                let names = kind.row.channels.map(\.description).joined(separator: ", ")
                throw Refusal(
                    String(part), isNo: "sample", write: "\(names) in \(kind.row.unit.plain), such as \(example)")
            }
            samples.append(Values(kind, vector))
        }
        guard !samples.isEmpty else { throw Refusal("holds no sample; write \(example)") }
        return samples
    }
}
