/// Finds the word that was probably meant.
public enum Suggestion {
    /// Returns the most similar of some words if it is similar enough; ignores case.
    public static func nearest(to word: String, among words: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let wanted = Array(word.lowercased().utf8)
        let best = words.map { ($0, distance(wanted, Array($0.lowercased().utf8))) }.min { $0.1 < $1.1 }
        guard let best, best.1 <= max(2, wanted.count / 3) else { return nil }
        return best.0
    }

    /// What to do about an unknown word: write the one that was probably meant, or else one of all.
    public static func remedy(for word: String, among words: [String], _ shape: (String) -> String) -> String {
        if let meant = nearest(to: word, among: words) { return "did you mean \(shape(meant))?" }
        return "take it out, or write one of \(words.map(shape).joined(separator: " "))"
    }

    /// The number of letters to insert, remove or replace to turn one into the other.
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var row = Array(0...second.count)
        for (index, byte) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in second.indices {
                let replaced = diagonal + (byte == second[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column + 1] + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}
