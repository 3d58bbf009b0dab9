import Fleet
import Testing

@Suite struct VersionChoiceTests {
    /// What a server does with a connection.
    private enum Answer {
        case accept, close, refuse
    }

    private static let hour: Int64 = 3_600_000_000_000

    /// One connection: its version, and whether the client goes on as after a success.
    private static func attempt(
        _ choice: inout VersionChoice, _ now: Int64, _ answer: (ProtocolVersion) -> Answer
    ) -> (version: ProtocolVersion, isGood: Bool) {
        let version = choice.version(now)
        switch answer(version) {
        case .accept: return (version, choice.accept())
        case .close: return (version, choice.close(now))
        case .refuse: return (version, choice.refuse(now))
        }
    }

    @Test("a server that closes 5 and accepts 3.1.1 is used with that once 5 was closed again")
    func former() {
        var choice = VersionChoice(nil)
        let answer: (ProtocolVersion) -> Answer = { $0 == .five ? .close : .accept }
        let attempts = (0..<6).map { _ in Self.attempt(&choice, 0, answer) }
        #expect(attempts.map(\.version) == [.five, .five, .three, .five, .three, .three])
        #expect(attempts.map(\.isGood) == [true, true, false, true, true, true] && choice.isCertain)
        // Once an hour 5 is tried, and one closed connection is enough.
        let later = (0..<3).map { _ in Self.attempt(&choice, Self.hour, answer) }
        #expect(later.map(\.version) == [.five, .three, .three] && later.allSatisfy(\.isGood))
    }

    @Test("a proxy whose server is away is never taken for a server of 3.1.1", arguments: 0..<9)
    func proxy(attempts: Int) {
        var choice = VersionChoice(nil)
        for _ in 0..<attempts { _ = Self.attempt(&choice, 0) { _ in .close } }
        // It comes back between two attempts, whichever.
        let last = (0..<3).map { _ in Self.attempt(&choice, 0) { _ in .accept } }
        #expect(last[1].version == .five && last[2].version == .five && last[2].isGood && !choice.isCertain)
    }

    @Test("a server that reports it is used with 3.1.1 at once, and a newer one is noticed within an hour")
    func reported() {
        var choice = VersionChoice(nil)
        let first = (0..<3).map { _ in Self.attempt(&choice, 0) { $0 == .five ? .refuse : .accept } }
        #expect(first.map(\.version) == [.five, .three, .three] && first.allSatisfy(\.isGood))
        let later = (0..<2).map { _ in Self.attempt(&choice, Self.hour) { _ in .accept } }
        #expect(later.map(\.version) == [.five, .five] && later.allSatisfy(\.isGood) && !choice.isCertain)
    }

    @Test("a version that is set is the only one", arguments: ProtocolVersion.allCases)
    func set(version: ProtocolVersion) {
        var choice = VersionChoice(version)
        for answer in [.close, .refuse, .close, .accept] as [Answer] {
            let (asked, isGood) = Self.attempt(&choice, 0) { _ in answer }
            #expect(asked == version && isGood == (answer == .accept))
        }
    }
}
