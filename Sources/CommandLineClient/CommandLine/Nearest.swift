internal import Configuration

/// What to say about a word that is none of those that there are.
enum Nearest {
    /// The one that was probably meant; nil if none is near enough.
    static func one(for word: String, among words: [String]) -> String? {
        Suggestion.nearest(to: word, among: words)
    }

    /// The one that was probably meant, or else all of them.
    static func advice(for word: String, among words: [String]) -> String {
        if let meant = one(for: word, among: words) { return "did you mean '\(meant)'?" }
        guard let last = words.last, words.count > 1 else { return "there is " + (words.first ?? "none") }
        return "there are " + words.dropLast().joined(separator: ", ") + " and " + last
    }
}
