import Spool
import Testing

@testable import Fleet

@Suite struct FleetAccountEpochTests {
    @Test(
        "a host that comes back when listening is over reports where its former epoch ended, and more is not expected")
    func backAfterwards() {
        var consumer = AccountConsumer()
        consumer.status(0)
        consumer.take(1...3)
        consumer.account.freeze()
        consumer.status(1, secondEpoch)
        consumer.begin(secondEpoch, after: firstEpoch, last: 3, .crash)
        #expect(!consumer.account.lacksEnds && consumer.account.summaries.first?.isComplete == true)
    }

    @Test("a new epoch reports where the former one ended, and all of it is expected")
    func epochs() {
        var consumer = AccountConsumer()
        consumer.take(1...7)
        consumer.begin(secondEpoch, after: firstEpoch, last: 9, .powerLoss)
        #expect(consumer.missing == ["01: 8-9"])
        consumer.take(3...3, secondEpoch)
        #expect(consumer.missing == ["01: 8-9", "02: 2-2"])
        #expect(consumer.account.summaries.first?.epochs.last?.beginning == .powerLoss)
    }

    @Test("an end that the host does not know, or that what came contradicts, proves nothing")
    func doubt() throws {
        var consumer = AccountConsumer()
        consumer.take(1...7)
        consumer.begin(secondEpoch, after: firstEpoch, last: 7, .crash, more: #","endUnknown":true"#)
        consumer.status(1, secondEpoch)
        #expect(consumer.missing.isEmpty && consumer.account.summaries.first?.isComplete == false)
        #expect(consumer.account.summaries.first?.epochs.first?.streams.first?.doubt == .unknown)

        var other = AccountConsumer()
        other.take(1...7)
        other.begin(secondEpoch, after: firstEpoch, last: 5, .crash)
        other.status(1, secondEpoch)
        let summary = try #require(other.account.summaries.first)
        #expect(summary.hasAll && !summary.isProved && !summary.isComplete)
        #expect(summary.epochs.first?.streams.first?.doubt == .contradicted(5, by: 7))
    }

    @Test("an epoch that is over, and of which no other one reports the end, proves nothing")
    func withoutEnd() {
        var consumer = AccountConsumer()
        consumer.take(1...7)
        consumer.take(1...1, thirdEpoch, more: #","began":{"cause":"first"}"#)
        consumer.status(1, thirdEpoch)
        #expect(consumer.missing.isEmpty && consumer.account.summaries.first?.isProved == false)
        consumer.begin(secondEpoch, after: firstEpoch, last: 7, .crash, late: true)
        #expect(consumer.account.summaries.first?.isProved == true)
    }

    @Test("a stream that was left out of the next epoch proves nothing, unless the host ended in order")
    func leftOut() {
        for (state, doubt) in [(HostState.online, StreamDoubt.unreported), (.offline, nil)] {
            var consumer = AccountConsumer()
            consumer.take(1...7)
            consumer.take(#"{"epoch":"\#(firstEpoch)","number":1}"#, resource: "tilt")
            consumer.status(7, state: state)
            consumer.take(
                #"{"epoch":"\#(secondEpoch)","number":1,"began":{"previous":"\#(firstEpoch)","last":1,"cause":"crash"}}"#,
                resource: "tilt")
            consumer.status(1, secondEpoch, resource: "tilt")
            let summary = consumer.account.summaries.first
            #expect(summary?.hasAll == true && summary?.isProved == (doubt == nil))
            #expect(summary?.epochs.first?.streams.map(\.doubt) == [doubt, nil])
            #expect(consumer.account.lacksEnds == (doubt != nil))
        }
    }

    @Test("an epoch that was spooled and never sent live is expected whole once the next one names it")
    func spooledEpoch() {
        var consumer = AccountConsumer()
        consumer.status(40, firstEpoch, retained: true, state: .offline)
        consumer.take(5...8, secondEpoch, late: true)
        #expect(consumer.missing.isEmpty)
        consumer.begin(thirdEpoch, after: secondEpoch, last: 9, .restart, late: true)
        consumer.status(1, thirdEpoch)
        #expect(consumer.missing == ["02: 1-4", "02: 9-9"])
        // Of the epoch before we came nothing is expected.
        consumer.begin(secondEpoch, after: firstEpoch, last: 40, .restart, late: true)
        #expect(consumer.missing == ["02: 2-4", "02: 9-9"])
    }

    private func numbers(_ range: ClosedRange<UInt64>) -> NumberSet {
        var numbers = NumberSet()
        numbers.insert(range)
        return numbers
    }

    @Test("an epoch that began while a recording paused is expected whole, and one that it has goes on")
    func paused() {
        for (epoch, missing) in [(secondEpoch, ["02: 1-5"]), (firstEpoch, ["01: 4-5"])] {
            var consumer = AccountConsumer()
            consumer.account.resume("truck", firstEpoch, "location", numbers(1...3), after: 3)
            consumer.status(5, epoch, retained: true)
            consumer.status(5, epoch)
            consumer.take(6...6, epoch)
            #expect(consumer.missing == missing)
        }
    }

    @Test("who comes in the middle of an epoch expects what comes at its time from then on")
    func joining() {
        var consumer = AccountConsumer()
        consumer.status(100, retained: true)
        consumer.take(40...41, late: true)
        consumer.take(121...122)
        consumer.take(43...43, late: true)
        #expect(consumer.missing.isEmpty && consumer.stream?.first == 121)
        consumer.take(125...125)
        #expect(consumer.missing == ["01: 123-124"])
        // The end of the epoch is reported by the next one.
        consumer.begin(secondEpoch, after: firstEpoch, last: 127, .crash)
        #expect(consumer.missing == ["01: 123-124", "01: 126-127"])

        var silent = AccountConsumer()
        silent.status(100, retained: true)
        #expect(silent.account.silent == ["truck"])
        silent.status(110)
        #expect(silent.missing.isEmpty && silent.account.silent.isEmpty)
        silent.status(113)
        #expect(silent.missing == ["01: 111-113"])

        var whole = AccountConsumer(.beginning)
        whole.status(100, retained: true)
        whole.take(101...101)
        #expect(whole.missing == ["01: 1-100"])
    }

    @Test("a recording that is continued expects what came after it")
    func resumed() {
        var consumer = AccountConsumer()
        consumer.account.resume("truck", firstEpoch, "location", numbers(1...7), after: 7)
        consumer.status(20, retained: true)
        consumer.take(22...22)
        #expect(consumer.missing == ["01: 8-21"])
        #expect(consumer.account.first(of: "truck", firstEpoch, "location") == 1)
        #expect(consumer.account.firstUnknown(of: "truck", firstEpoch, "location", from: 3) == 8)
    }
}
