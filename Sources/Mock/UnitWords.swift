internal import Configuration

/// Numbers whose units stand apart: `5 s`, `2 km`.
public enum UnitWords {
    private static let units =
        Set(TimeSpan.unitNames).union(Rate.unitNames).union(["m", "km", "deg", "°", "g", "mg", "m/s2", "m/s²"])

    /// The words, with each number and the unit behind it as one.
    public static func joined(_ words: [String]) -> [String] {
        words.reduce(into: []) { words, word in
            guard units.contains(word.lowercased()), let last = words.last, !last.isEmpty,
                last.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 || $0 == 45 })
            else { return words.append(word) }
            words[words.count - 1] = last + word
        }
    }
}
