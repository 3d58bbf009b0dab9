internal import Formats
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

    /// Parses `X Y Z`, each with a unit or in the kind's own, or one number that holds for each channel.
    static func vector(_ text: String, of kind: Kind) throws(Refusal) -> SIMD4<Double> {
        let row = kind.row
        let words = text.split { $0 == " " || $0 == "," }
        let numbers = words.compactMap { NumberWithUnit.value(String($0), in: row.unit) }
        var vector = SIMD4<Double>.zero
        for channel in row.channels.indices {
            vector[channel] = numbers.count == 1 ? numbers[0] : channel < numbers.count ? numbers[channel] : 0
        }
        guard numbers.count == words.count, numbers.count == 1 || numbers.count == row.channels.count,
            numbers.allSatisfy({ abs($0) <= row.range.upperBound })
        else {
            let channels = row.channels.map(\.description).joined(separator: " ")
            throw Refusal(
                text, isNo: "value", write: "a number in \(row.unit.plain) for each of \(channels), or one for all")
        }
        return vector
    }
}
