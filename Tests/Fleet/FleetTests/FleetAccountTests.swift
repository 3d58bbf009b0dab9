import Testing

@testable import Fleet

@Suite struct FleetAccountTests {
    @Test("what is missing in the middle is named, until it comes late, or is reported as lost")
    func middle() {
        var consumer = AccountConsumer()
        consumer.take(1...9)
        consumer.take(13...20)
        #expect(consumer.missing == ["01: 10-12"])
        consumer.take(11...11, late: true)
        #expect(consumer.missing == ["01: 10-10", "01: 12-12"])
        consumer.take(21...21, more: #","lost":{"epoch":"\#(firstEpoch)","from":12,"to":12,"cause":"gone"}"#)
        consumer.take(10...10, late: true)
        consumer.status(21)
        #expect(consumer.missing.isEmpty && consumer.stream?.losses == [LossSummary(cause: "gone", numbers: 12...12)])
        #expect(consumer.account.summaries.first?.isComplete == true && consumer.stream?.arrived == 20)
        // What comes nevertheless is no loss.
        consumer.take(12...12, late: true)
        #expect(consumer.stream?.losses.isEmpty == true)
    }

    @Test("what is missing at the end is known by the status alone")
    func end() {
        var consumer = AccountConsumer()
        consumer.status(0)
        consumer.take(1...100)
        #expect(consumer.missing.isEmpty)
        consumer.status(459)
        #expect(consumer.missing == ["01: 101-459"])
        consumer.account.freeze()
        consumer.status(600)
        consumer.take(601...601)
        #expect(consumer.missing == ["01: 101-459"])
    }

    @Test("who comes before a host expects it from number 1 on")
    func newHost() {
        var consumer = AccountConsumer()
        consumer.take(3...5)
        #expect(consumer.missing == ["01: 1-2"])
    }

    @Test("what comes twice is counted, and is not new")
    func twice() throws {
        var consumer = AccountConsumer()
        consumer.take(1...5, more: #","gaps":[{"cause":"deviceLost"}]"#)
        consumer.take(2...4, late: true, more: #","gaps":[{"cause":"deviceLost"}]"#)
        consumer.status(5)
        let stream = try #require(consumer.stream)
        #expect(stream.repeated == 3 && stream.arrived == 5 && stream.gaps == 5)
        #expect(consumer.account.summaries.first?.isComplete == true)
    }

    @Test("losses are reported with any message, of any epoch, again and overlapping")
    func losses() {
        var consumer = AccountConsumer(.beginning)
        consumer.begin(secondEpoch, after: firstEpoch, last: 50, .restart)
        consumer.take(
            2...2, secondEpoch, more: #","lost":{"epoch":"\#(firstEpoch)","from":1,"to":30,"cause":"evicted"}"#)
        consumer.take(
            3...3, secondEpoch, more: #","lost":{"epoch":"\#(firstEpoch)","from":20,"to":45,"cause":"evicted"}"#)
        consumer.take(
            4...4, secondEpoch, more: #","lost":{"epoch":"\#(firstEpoch)","from":40,"to":9000,"cause":"nobody's word"}"#
        )
        #expect(consumer.missing.isEmpty)
        #expect(
            consumer.account.summaries.first?.epochs.first?.streams.first?.losses == [
                LossSummary(cause: "evicted", numbers: 1...45), LossSummary(cause: "other", numbers: 40...50),
            ])
    }

    @Test("only what was asked for is expected")
    func resources() {
        var consumer = AccountConsumer(resources: ["light"])
        consumer.take(3...3)
        consumer.status(9)
        consumer.status(2, resource: "light")
        consumer.take(#"{"epoch":"\#(firstEpoch)","number":1}"#, resource: "light")
        #expect(consumer.account.missing.map(\.resource) == ["light"] && consumer.missing == ["01: 2-2"])
    }

    @Test("a host without an end, without numbers, or with a lost connection is distinguished")
    func states() {
        var consumer = AccountConsumer()
        consumer.take(1...2)
        #expect(consumer.account.silent == ["truck"])
        consumer.status(2)
        #expect(consumer.account.silent.isEmpty)
        consumer.account.expectReports()
        #expect(consumer.account.silent == ["truck"])
        consumer.status(0, state: .lost)
        #expect(consumer.account.silent.isEmpty && consumer.missing.isEmpty)
    }

    @Test(
        "what is no message is reported, and is not taken",
        arguments: [
            "", "[]", "{}", "no", #"{"epoch":"1","number":1}"#, #"{"epoch":"\#(firstEpoch)"}"#,
            #"{"epoch":"\#(firstEpoch)","number":0}"#, #"{"epoch":"\#(firstEpoch)","number":-1}"#,
            #"{"epoch":"\#(firstEpoch)","number":1.5}"#, #"{"epoch":"\#(firstEpoch)","number":99999999999999999999}"#,
            #"{"epoch":"\#(firstEpoch)","number":1,"lost":{"epoch":"\#(firstEpoch)","from":3,"to":2,"cause":"gone"}}"#,
            #"{"epoch":"\#(firstEpoch)","number":1,"began":{"previous":"\#(secondEpoch)","cause":"crash"}}"#,
            #"{"epoch":"\#(firstEpoch)","number":1,"number":2}"#, String(repeating: "[", count: 5_000),
        ])
    func hostileMessages(_ line: String) {
        var consumer = AccountConsumer()
        consumer.take(line)
        #expect(
            consumer.account.summaries.first?.unreadable == 1 && consumer.account.summaries.first?.isComplete == false)
    }

    @Test("of numbers that did not come, each part has the cause that was reported")
    func causes() {
        var stream = StreamAccount()
        stream.lose(3...5, "evicted")
        stream.lose(5...8, "diskFull")
        let parts = stream.causes(of: 2...9).map { "\($0.numbers) \($0.cause ?? "-")" }
        #expect(parts == ["2...2 -", "3...4 evicted", "5...8 diskFull", "9...9 -"])
    }

    @Test("what arrives beyond the numbers that are expected does not count as arrived")
    func arrivedBeyond() {
        var stream = StreamAccount()
        stream.reach(3)
        for number in [1, 2, 3, 4, 9] as [UInt64] { _ = stream.arrive(number, isLate: false) }
        #expect(stream.arrived == 3)
    }
}
