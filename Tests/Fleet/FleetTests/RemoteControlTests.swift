import Testing

@testable import Fleet

private let second: Int64 = 1_000_000_000

/// A control of one stream of 100 ms, and what it decided.
private final class Rig {
    private var control: RemoteControl
    var now: Int64 = 0

    init(least: Int64? = nil) throws {
        control = RemoteControl(
            [try WantedReading(resource: "location", parsing: "100ms batch 1s")], minimumNanoseconds: least)
    }

    func set(_ text: String) { control.take(Array(text.utf8), of: "location") }

    /// What the stream is to be asked for now.
    func change() -> Cadence? { control.changes(now).first?.cadence }

    func grant(_ cadence: Cadence) { control.grant(cadence, of: 0) }
    func refuse(_ words: String) { control.refuse(words, of: 0) }
    func connect() { control.connect(now) }
    func disconnect() { control.disconnect() }
    var report: String? { control.takeReports().first.map { String(decoding: $0.text, as: UTF8.self) } }
    var deadline: Int64? { control.deadline }
}

private let configured = Cadence(intervalNanoseconds: second / 10, batchNanoseconds: second)

@Suite struct RemoteControlTests {
    @Test("a message changes the stream, and what was granted is reported once the broker has answered")
    func change() throws {
        let rig = try Rig()
        rig.grant(configured)
        #expect(rig.report == #"{"granted":{"intervalNanoseconds":100000000,"batchNanoseconds":1000000000}}"#)
        rig.set(#"{"intervalNanoseconds":2000000000,"batchNanoseconds":0}"#)
        let wanted = Cadence(intervalNanoseconds: 2 * second, batchNanoseconds: 0)
        #expect(rig.change() == wanted && rig.change() == nil && rig.report == nil)
        rig.grant(wanted)
        #expect(
            rig.report
                == #"{"requested":{"intervalNanoseconds":2000000000,"batchNanoseconds":0},"granted":{"intervalNanoseconds":2000000000,"batchNanoseconds":0}}"#
        )
        #expect(rig.report == nil)
    }

    @Test("no faster than is allowed: by the configuration, or as it is configured itself")
    func bounds() throws {
        for (least, interval) in [(nil, second / 10), (second / 100, second / 100), (0, 0)] as [(Int64?, Int64)] {
            let rig = try Rig(least: least)
            rig.set(#"{"intervalNanoseconds":0,"batchNanoseconds":5}"#)
            #expect(rig.change() == Cadence(intervalNanoseconds: interval, batchNanoseconds: 5))
        }
    }

    @Test("an empty message, and one that cannot be read, mean the configuration")
    func back() throws {
        for (text, isReported) in [("", false), ("[1,2]", true)] {
            let rig = try Rig()
            rig.set(#"{"intervalNanoseconds":2000000000}"#)
            rig.grant(try #require(rig.change()))
            rig.now += second
            rig.set(text)
            let back = rig.change()
            #expect(back == configured)
            rig.grant(configured)
            let report = try #require(rig.report)
            #expect(report.contains("refused") == isReported && !report.contains("requested"))
        }
    }

    @Test("of a flood, one a second is followed: the newest")
    func flood() throws {
        let rig = try Rig()
        var changes: [Int64] = []
        for index in 0..<1_000 as Range<Int64> {
            rig.set(#"{"intervalNanoseconds":\#(second + index)}"#)
            if let change = rig.change() {
                changes.append(change.intervalNanoseconds)
                rig.grant(change)
            }
            rig.now += second / 100
        }
        #expect(changes.count == 10)
        #expect(rig.deadline == rig.now)
        #expect(rig.change()?.intervalNanoseconds == second + 999)
        rig.set(String(repeating: "x", count: 1 << 20))
        #expect(rig.deadline == rig.now + second)
    }

    @Test("after a connection a message has to come again, else it was removed")
    func confirmation() throws {
        let rig = try Rig()
        rig.connect()
        #expect(rig.deadline == nil)
        rig.set(#"{"intervalNanoseconds":2000000000}"#)
        rig.grant(try #require(rig.change()))
        rig.now += 60 * second
        rig.connect()
        rig.set(#"{"intervalNanoseconds":2000000000}"#)
        rig.now += 20 * second
        #expect(rig.change() == nil, "it has come again")
        rig.disconnect()
        rig.now += 600 * second
        #expect(rig.change() == nil && rig.deadline == nil, "without a connection it stays in force")
        rig.connect()
        #expect(rig.deadline == rig.now + 10 * second)
        rig.now += 10 * second
        #expect(rig.change() == configured)
    }

    @Test("what the broker refuses is reported with its words, and the next message is tried again")
    func refused() throws {
        let rig = try Rig()
        rig.set(#"{"intervalNanoseconds":2000000000}"#)
        _ = rig.change()
        rig.refuse("there is no resource location")
        #expect(rig.report?.contains(#""refused":"there is no resource location""#) == true)
        rig.now += second
        rig.set(#"{"intervalNanoseconds":2000000000}"#)
        #expect(rig.change() != nil)
    }
}
