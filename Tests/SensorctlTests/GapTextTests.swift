import Readings
import Testing

@testable import sensorctl

@Suite struct GapTextTests {
    @Test("each cause has words of its own; one that is not known is shown as it is")
    func causes() {
        let words = Readings.Gap.Cause.allCases.map { GapText.words($0.rawValue) }
        #expect(Set(words).count == words.count)
        #expect(words.allSatisfy { $0.contains(" ") })
        #expect(GapText.words("later\u{1B}") == "later?")
    }
}
