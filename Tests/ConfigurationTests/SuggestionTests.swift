import Configuration
import Testing

@Suite("A suggestion") struct SuggestionTests {
    private let words = ["Gpsd", "WarmGraceSec", "MinimumIntervalSec"]

    @Test(
        "is the word that is a slip away",
        arguments: [
            ("gpsd", "Gpsd"), ("Gspd", "Gpsd"), ("Gpds", "Gpsd"), ("WarmGrace", "WarmGraceSec"),
            ("WramGraceSec", "WarmGraceSec"),
        ]
            as [(String, String?)])
    func near(word: String, meant: String?) { #expect(Suggestion.nearest(to: word, among: words) == meant) }

    @Test(
        "is not made for what is like nothing, or for no word",
        arguments: ["Colour", "", String(repeating: "G", count: 9999)])
    func far(word: String) { #expect(Suggestion.nearest(to: word, among: words) == nil) }
}
