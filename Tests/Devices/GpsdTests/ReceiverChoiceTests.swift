import Readings
import Testing

@testable import Gpsd

@Suite struct ReceiverChoiceTests {
    @Test("the first receiver is followed, and a second one with a fix does not mix in")
    func first() {
        var choice = ReceiverChoice()
        #expect(take(&choice, "a", true, at: 0) == .change)
        #expect(take(&choice, "b", true, at: 0.5) == .ignore)
        #expect(take(&choice, "a", true, at: 1) == .use)
        #expect(choice.path == "a")
    }

    @Test("a receiver that never had a fix is left at once for one that has")
    func neverAFix() {
        var choice = ReceiverChoice()
        #expect(take(&choice, "a", false, at: 0) == .change)
        #expect(take(&choice, "b", false, at: 0.1) == .ignore)
        #expect(take(&choice, "b", true, at: 0.2) == .change)
        #expect(take(&choice, "a", true, at: 0.3) == .ignore)
    }

    @Test("a receiver that lost its fix is left after three seconds, not for a flap")
    func lostFix() {
        var choice = ReceiverChoice()
        _ = take(&choice, "a", true, at: 0)
        #expect(take(&choice, "a", false, at: 1) == .use)
        #expect(take(&choice, "b", true, at: 1.5) == .ignore)
        #expect(take(&choice, "a", false, at: 3) == .use)
        #expect(take(&choice, "b", true, at: 3.1) == .change)
        #expect(choice.path == "b")
    }

    @Test("a receiver silent for three seconds is left, even for one without a fix")
    func silent() {
        var choice = ReceiverChoice()
        _ = take(&choice, "a", true, at: 0)
        #expect(take(&choice, "b", false, at: 3) == .ignore)
        #expect(take(&choice, "b", false, at: 3.1) == .change)
    }

    @Test("a choice made beforehand never changes, however long its receiver is silent")
    func only() {
        var choice = ReceiverChoice(only: "b")
        #expect(choice.path == "b")
        #expect(take(&choice, "a", true, at: 0) == .ignore)
        #expect(take(&choice, "b", false, at: 1) == .use)
        #expect(take(&choice, "a", true, at: 100) == .ignore)
        #expect(take(&choice, "b", true, at: 101) == .use)
    }

    private func take(
        _ choice: inout ReceiverChoice, _ path: String, _ hasFix: Bool, at seconds: Double
    ) -> ReceiverChoice.Verdict {
        choice.take(path, hasFix: hasFix, at: BootTime(nanoseconds: Int64(seconds * 1e9)))
    }
}
