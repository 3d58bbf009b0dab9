import Spool
import TestTools
import Testing
import Varlink

@testable import Fleet

private let first = Identity(text: String(repeating: "01", count: 16)) ?? Identity(utcMicroseconds: 0, random: (0, 0))
private let second = Identity(text: String(repeating: "02", count: 16)) ?? Identity(utcMicroseconds: 0, random: (0, 0))
private let third = Identity(text: String(repeating: "03", count: 16)) ?? Identity(utcMicroseconds: 0, random: (0, 0))

/// A consumer of one host, which takes what a test sends.
private struct Consumer {
    var account: FleetAccount

    init(_ start: FleetAccount.Start = .joining, resources: Set<String> = []) {
        account = FleetAccount(from: start, resources: resources)
    }

    mutating func take(_ numbers: ClosedRange<Int>, _ epoch: Identity = first, late: Bool = false, more: String = "") {
        for number in numbers { take(#"{"epoch":"\#(epoch)","number":\#(number)\#(more)}"#, late: late) }
    }

    mutating func take(_ line: String, late: Bool = false, resource: String = "location") {
        guard let message = FleetMessage(Array(line.utf8)) else { return account.takeUnreadable(of: "truck") }
        account.take(message, of: "truck", resource: resource, isLate: late)
    }

    mutating func status(
        _ last: Int, _ epoch: Identity = first, retained: Bool = false, state: HostState = .online,
        resource: String = "location"
    ) {
        let payload = Wire.status(
            state, epoch: epoch, streams: [StreamStatus(name: resource, last: UInt64(last), oldest: nil)])
        guard let report = HostReport(payload) else { return account.takeUnreadable(of: "truck") }
        account.take(report, of: "truck", isRetained: retained)
    }

    mutating func begin(
        _ epoch: Identity, after former: Identity, last: Int, _ cause: BeginCause, late: Bool = false, more: String = ""
    ) {
        take(
            1...1, epoch, late: late,
            more: #","began":{"previous":"\#(former)","last":\#(last),"cause":"\#(cause.rawValue)"\#(more)}"#)
    }

    /// What is missing, as epoch's first digits and ranges.
    var missing: [String] {
        account.missing.flatMap { missing in
            missing.ranges.map { "\(missing.epoch.description.prefix(2)): \($0.lowerBound)-\($0.upperBound)" }
        }
    }

    var stream: StreamSummary? { account.summaries.first?.epochs.last?.streams.first }
}

@Suite struct FleetAccountTests {
    @Test("what is missing in the middle is named, until it comes late, or is reported as lost")
    func middle() {
        var consumer = Consumer()
        consumer.take(1...9)
        consumer.take(13...20)
        #expect(consumer.missing == ["01: 10-12"])
        consumer.take(11...11, late: true)
        #expect(consumer.missing == ["01: 10-10", "01: 12-12"])
        consumer.take(21...21, more: #","lost":{"epoch":"\#(first)","from":12,"to":12,"cause":"gone"}"#)
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
        var consumer = Consumer()
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

    @Test(
        "a host that comes back when listening is over reports where its former epoch ended, and more is not expected")
    func backAfterwards() {
        var consumer = Consumer()
        consumer.status(0)
        consumer.take(1...3)
        consumer.account.freeze()
        consumer.status(1, second)
        consumer.begin(second, after: first, last: 3, .crash)
        #expect(!consumer.account.lacksEnds && consumer.account.summaries.first?.isComplete == true)
    }

    @Test("a new epoch reports where the former one ended, and all of it is expected")
    func epochs() {
        var consumer = Consumer()
        consumer.take(1...7)
        consumer.begin(second, after: first, last: 9, .powerLoss)
        #expect(consumer.missing == ["01: 8-9"])
        consumer.take(3...3, second)
        #expect(consumer.missing == ["01: 8-9", "02: 2-2"])
        #expect(consumer.account.summaries.first?.epochs.last?.beginning == .powerLoss)
    }

    @Test("an end that the host does not know, or that what came contradicts, proves nothing")
    func doubt() throws {
        var consumer = Consumer()
        consumer.take(1...7)
        consumer.begin(second, after: first, last: 7, .crash, more: #","endUnknown":true"#)
        consumer.status(1, second)
        #expect(consumer.missing.isEmpty && consumer.account.summaries.first?.isComplete == false)
        #expect(consumer.account.summaries.first?.epochs.first?.streams.first?.doubt == .unknown)

        var other = Consumer()
        other.take(1...7)
        other.begin(second, after: first, last: 5, .crash)
        other.status(1, second)
        let summary = try #require(other.account.summaries.first)
        #expect(summary.hasAll && !summary.isProved && !summary.isComplete)
        #expect(summary.epochs.first?.streams.first?.doubt == .contradicted(5, by: 7))
    }

    @Test("an epoch that is over, and of which no other one reports the end, proves nothing")
    func withoutEnd() {
        var consumer = Consumer()
        consumer.take(1...7)
        consumer.take(1...1, third, more: #","began":{"cause":"first"}"#)
        consumer.status(1, third)
        #expect(consumer.missing.isEmpty && consumer.account.summaries.first?.isProved == false)
        consumer.begin(second, after: first, last: 7, .crash, late: true)
        #expect(consumer.account.summaries.first?.isProved == true)
    }

    @Test("a stream that was left out of the next epoch proves nothing, unless the host ended in order")
    func leftOut() {
        for (state, doubt) in [(HostState.online, StreamDoubt.unreported), (.offline, nil)] {
            var consumer = Consumer()
            consumer.take(1...7)
            consumer.take(#"{"epoch":"\#(first)","number":1}"#, resource: "tilt")
            consumer.status(7, state: state)
            consumer.take(
                #"{"epoch":"\#(second)","number":1,"began":{"previous":"\#(first)","last":1,"cause":"crash"}}"#,
                resource: "tilt")
            consumer.status(1, second, resource: "tilt")
            let summary = consumer.account.summaries.first
            #expect(summary?.hasAll == true && summary?.isProved == (doubt == nil))
            #expect(summary?.epochs.first?.streams.map(\.doubt) == [doubt, nil])
            #expect(consumer.account.lacksEnds == (doubt != nil))
        }
    }

    @Test("an epoch that was spooled and never sent live is expected whole once the next one names it")
    func spooledEpoch() {
        var consumer = Consumer()
        consumer.status(40, first, retained: true, state: .offline)
        consumer.take(5...8, second, late: true)
        #expect(consumer.missing.isEmpty)
        consumer.begin(third, after: second, last: 9, .restart, late: true)
        consumer.status(1, third)
        #expect(consumer.missing == ["02: 1-4", "02: 9-9"])
        // Of the epoch before we came nothing is expected.
        consumer.begin(second, after: first, last: 40, .restart, late: true)
        #expect(consumer.missing == ["02: 2-4", "02: 9-9"])
    }

    private func numbers(_ range: ClosedRange<UInt64>) -> NumberSet {
        var numbers = NumberSet()
        numbers.insert(range)
        return numbers
    }

    @Test("an epoch that began while a recording paused is expected whole, and one that it has goes on")
    func paused() {
        for (epoch, missing) in [(second, ["02: 1-5"]), (first, ["01: 4-5"])] {
            var consumer = Consumer()
            consumer.account.resume("truck", first, "location", numbers(1...3), after: 3)
            consumer.status(5, epoch, retained: true)
            consumer.status(5, epoch)
            consumer.take(6...6, epoch)
            #expect(consumer.missing == missing)
        }
    }

    @Test("who comes in the middle of an epoch expects what comes at its time from then on")
    func joining() {
        var consumer = Consumer()
        consumer.status(100, retained: true)
        consumer.take(40...41, late: true)
        consumer.take(121...122)
        consumer.take(43...43, late: true)
        #expect(consumer.missing.isEmpty && consumer.stream?.first == 121)
        consumer.take(125...125)
        #expect(consumer.missing == ["01: 123-124"])
        // The end of the epoch is reported by the next one.
        consumer.begin(second, after: first, last: 127, .crash)
        #expect(consumer.missing == ["01: 123-124", "01: 126-127"])

        var silent = Consumer()
        silent.status(100, retained: true)
        #expect(silent.account.silent == ["truck"])
        silent.status(110)
        #expect(silent.missing.isEmpty && silent.account.silent.isEmpty)
        silent.status(113)
        #expect(silent.missing == ["01: 111-113"])

        var whole = Consumer(.beginning)
        whole.status(100, retained: true)
        whole.take(101...101)
        #expect(whole.missing == ["01: 1-100"])
    }

    @Test("who comes before a host expects it from number 1 on")
    func newHost() {
        var consumer = Consumer()
        consumer.take(3...5)
        #expect(consumer.missing == ["01: 1-2"])
    }

    @Test("what comes twice is counted, and is not new")
    func twice() throws {
        var consumer = Consumer()
        consumer.take(1...5, more: #","gaps":[{"cause":"deviceLost"}]"#)
        consumer.take(2...4, late: true, more: #","gaps":[{"cause":"deviceLost"}]"#)
        consumer.status(5)
        let stream = try #require(consumer.stream)
        #expect(stream.repeated == 3 && stream.arrived == 5 && stream.gaps == 5)
        #expect(consumer.account.summaries.first?.isComplete == true)
    }

    @Test("losses are reported with any message, of any epoch, again and overlapping")
    func losses() {
        var consumer = Consumer(.beginning)
        consumer.begin(second, after: first, last: 50, .restart)
        consumer.take(2...2, second, more: #","lost":{"epoch":"\#(first)","from":1,"to":30,"cause":"evicted"}"#)
        consumer.take(3...3, second, more: #","lost":{"epoch":"\#(first)","from":20,"to":45,"cause":"evicted"}"#)
        consumer.take(
            4...4, second, more: #","lost":{"epoch":"\#(first)","from":40,"to":9000,"cause":"nobody's word"}"#)
        #expect(consumer.missing.isEmpty)
        #expect(
            consumer.account.summaries.first?.epochs.first?.streams.first?.losses == [
                LossSummary(cause: "evicted", numbers: 1...45), LossSummary(cause: "other", numbers: 40...50),
            ])
    }

    @Test("only what was asked for is expected")
    func resources() {
        var consumer = Consumer(resources: ["light"])
        consumer.take(3...3)
        consumer.status(9)
        consumer.status(2, resource: "light")
        consumer.take(#"{"epoch":"\#(first)","number":1}"#, resource: "light")
        #expect(consumer.account.missing.map(\.resource) == ["light"] && consumer.missing == ["01: 2-2"])
    }

    @Test("a host without an end, without numbers, or with a lost connection is distinguished")
    func states() {
        var consumer = Consumer()
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
            "", "[]", "{}", "no", #"{"epoch":"1","number":1}"#, #"{"epoch":"\#(first)"}"#,
            #"{"epoch":"\#(first)","number":0}"#, #"{"epoch":"\#(first)","number":-1}"#,
            #"{"epoch":"\#(first)","number":1.5}"#, #"{"epoch":"\#(first)","number":99999999999999999999}"#,
            #"{"epoch":"\#(first)","number":1,"lost":{"epoch":"\#(first)","from":3,"to":2,"cause":"gone"}}"#,
            #"{"epoch":"\#(first)","number":1,"began":{"previous":"\#(second)","cause":"crash"}}"#,
            #"{"epoch":"\#(first)","number":1,"number":2}"#, String(repeating: "[", count: 5_000),
        ])
    func hostileMessages(_ line: String) {
        var consumer = Consumer()
        consumer.take(line)
        #expect(
            consumer.account.summaries.first?.unreadable == 1 && consumer.account.summaries.first?.isComplete == false)
    }

    @Test("the status has both clocks, which a consumer needs that comes in the middle of an epoch")
    func statusClock() throws {
        let clock = ClockReading(
            bootID: second, moment: Moment(bootNanoseconds: 5, utcMicroseconds: 7), isSynchronized: false)
        let streams = [StreamStatus(name: "light", last: 3, oldest: 2)]
        let report = try #require(
            HostReport(Wire.status(.online, epoch: first, streams: streams, clock: clock)))
        #expect(report.clock == clock && report.streams == streams && report.epoch == first)
        #expect(HostReport(Wire.status(.lost, epoch: first, streams: []))?.clock == nil)
    }

    @Test("a status has the backlog, and for how long the host keeps what has arrived; older programs do not")
    func statusOptions() throws {
        let report = try #require(
            HostReport(Wire.status(.online, epoch: first, streams: [], backlog: 7, keepsNanoseconds: .max)))
        #expect(report.backlog == 7 && report.keepsNanoseconds == .max)
        let old = try #require(HostReport(Wire.status(.online, epoch: first, streams: [])))
        #expect(old.backlog == nil && old.keepsNanoseconds == nil)
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

    @Test("a recording that is continued expects what came after it")
    func resumed() {
        var consumer = Consumer()
        consumer.account.resume("truck", first, "location", numbers(1...7), after: 7)
        consumer.status(20, retained: true)
        consumer.take(22...22)
        #expect(consumer.missing == ["01: 8-21"])
        #expect(consumer.account.first(of: "truck", first, "location") == 1)
        #expect(consumer.account.firstUnknown(of: "truck", first, "location", from: 3) == 8)
    }

    @Test("giant numbers are missing, and cost nothing")
    func giants() {
        var consumer = Consumer()
        let giant = UInt64(Int64.max - 1)
        consumer.take(#"{"epoch":"\#(first)","number":\#(giant)}"#)
        #expect(consumer.missing == ["01: 1-\(giant - 1)"])
        consumer.take(
            #"{"epoch":"\#(first)","number":2,"lost":{"epoch":"\#(first)","from":1,"to":\#(giant),"cause":"gone"}}"#)
        #expect(consumer.missing.isEmpty)
    }

    @Test("tens of thousands of hosts are summed up, each by itself", .timeLimit(.minutes(1)))
    func manyHosts() throws {
        var account = FleetAccount(from: .beginning)
        let payload = Wire.status(.online, epoch: first, streams: [StreamStatus(name: "light", last: 0, oldest: nil)])
        let report = try #require(HostReport(payload))
        for number in 0..<30_000 { account.take(report, of: "truck-\(number)", isRetained: number.isMultiple(of: 2)) }
        #expect(account.summaries.count(where: \.isSilent) == 15_000 && account.silent.count == 15_000)
    }

    @Test("what is missing is looked for where something came, however many epochs there were", .timeLimit(.minutes(1)))
    func manyEpochs() {
        let epochs = (0..<100).map { Identity(utcMicroseconds: Int64($0) * 1_000_000, random: (0, 0)) }
        var account = FleetAccount(from: .joining)
        for host in 0..<100 {
            for (former, epoch) in zip(epochs, epochs.dropFirst()) {
                let began = #""began":{"previous":"\#(former)","last":1,"cause":"order"}"#
                let line = #"{"epoch":"\#(epoch)","number":1,\#(began)}"#
                guard let message = FleetMessage(Array(line.utf8)) else { continue }
                account.take(message, of: "truck-\(host)", resource: "light", isLate: false)
            }
        }
        for number in 2..<1_002 {
            let line = #"{"epoch":"\#(epochs[99])","number":\#(number)}"#
            guard let message = FleetMessage(Array(line.utf8)) else { continue }
            account.take(message, of: "truck-7", resource: "light", isLate: false)
            #expect(account.findMissing().count == 100)
        }
    }

    @Test(
        "what is found missing is all that is, whatever came since it was looked for",
        arguments: 0..<200 as Range<UInt64>)
    func found(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var account = FleetAccount(from: seed.isMultiple(of: 4) ? .beginning : .joining)
        func epoch() -> Identity { [first, second, third].randomElement(using: &generator) ?? first }
        func number() -> Int { .random(in: 1...9, using: &generator) }
        func isSo(_ percent: Int) -> Bool { .random(in: 0..<100, using: &generator) < percent }
        for _ in 0..<60 {
            let host = isSo(50) ? "car" : "truck"
            let resource = isSo(50) ? "light" : "location"
            var line = #"{"epoch":"\#(epoch())","number":\#(number())"#
            if isSo(20) { line += #","began":{"previous":"\#(epoch())","last":\#(number()),"cause":"crash"}"# }
            if isSo(20) { line += #","lost":{"epoch":"\#(epoch())","from":1,"to":\#(number()),"cause":"evicted"}"# }
            if isSo(70), let message = FleetMessage(Array((line + "}").utf8)) {
                account.take(message, of: host, resource: resource, isLate: isSo(30))
            } else if isSo(80) {
                let streams = [StreamStatus(name: resource, last: UInt64(number()), oldest: nil)]
                let state: HostState = isSo(80) ? .online : .offline
                guard let report = HostReport(Wire.status(state, epoch: epoch(), streams: streams)) else { continue }
                account.take(report, of: host, isRetained: isSo(30))
            } else {
                var numbers = NumberSet()
                numbers.insert(UInt64(number()))
                account.resume(host, epoch(), resource, numbers, after: isSo(50) ? UInt64(number()) : nil)
            }
            if isSo(1) { account.freeze() }
            if isSo(60) { #expect(account.findMissing() == account.missing) }
        }
    }

    @Test("a host may have any number of epochs: those that are over and whole are known by their names alone")
    func years() {
        let epochs = (0..<3_000).map { Identity(utcMicroseconds: Int64($0) * 1_000_000, random: (0, 0)) }
        var consumer = Consumer()
        consumer.take(1...2, epochs[0])
        for (former, epoch) in zip(epochs, epochs.dropFirst()) {
            for resource in ["location", "light", "pressure", "accelerometer"] {
                let began = #""began":{"previous":"\#(former)","last":2,"cause":"order"}"#
                consumer.take(#"{"epoch":"\#(epoch)","number":1,\#(began)}"#, resource: resource)
                // One that is not whole stays.
                if epoch != epochs[7] { consumer.take(#"{"epoch":"\#(epoch)","number":2}"#, resource: resource) }
            }
        }
        let numbers = consumer.account.missing.filter { $0.epoch == epochs[7] }.map(\.ranges)
        #expect(numbers == Array(repeating: [2...2], count: 4) && !consumer.account.isOverrun("truck"))
        let known = consumer.account.summaries.flatMap(\.epochs)
        #expect(known.count < 1_000 && known.last?.epoch == epochs[2_999] && known.last?.streams.count == 4)
        guard let again = FleetMessage(Array(#"{"epoch":"\#(epochs[9])","number":2}"#.utf8)) else { return }
        let isNew = [true, false].map { consumer.account.take(again, of: "truck", resource: "light", isLate: $0) }
        #expect(isNew == [false, false] && !consumer.account.isOverrun("truck"))
    }

    @Test("a hostile host has a bounded share of memory, is reported, and takes none from others")
    func floods() throws {
        var consumer = Consumer()
        let empty = try #require(FleetMessage(Array(#"{"epoch":"\#(first)","number":1}"#.utf8)))
        for number in 1...15_000 {
            let text = String(number, radix: 16)
            let epoch = String(repeating: "0", count: 32 - text.count) + text
            consumer.take(#"{"epoch":"\#(epoch)","number":1}"#)
        }
        #expect(consumer.account.summaries.first?.isOverrun == true)
        #expect(consumer.account.summaries.first?.isComplete == false)
        #expect((consumer.account.summaries.first?.epochs.count ?? 0) < 5_001)
        for number in stride(from: 1, to: 80_001, by: 2) {
            let message = try #require(FleetMessage(Array(#"{"epoch":"\#(first)","number":\#(number)}"#.utf8)))
            consumer.account.take(message, of: "holes", resource: "location", isLate: false)
        }
        #expect((consumer.account.summaries.first?.epochs.first?.streams.first?.missing.count ?? 0) < 20_000)
        consumer.account.take(empty, of: "van", resource: "location", isLate: false)
        #expect(consumer.account.summaries.last?.isComplete == false && consumer.account.silent.contains("van"))

        var account = FleetAccount(from: .joining, mostHosts: 3)
        for host in 1...5 { account.take(empty, of: "\(host)", resource: "location", isLate: false) }
        #expect(account.hasRefusedHosts && account.names.count == 3)
    }
}

@Suite struct VerifyPhaseTests {
    private let second: Int64 = 1_000_000_000

    private func facts(
        silent: Bool = false, hosts: Bool = true, missing: UInt64 = 0, hopeless: Bool = false, lacksEnds: Bool = false
    ) -> VerifyPhase.Facts {
        VerifyPhase.Facts(
            hasSilent: silent, hasHosts: hosts, missing: missing, isHopeless: hopeless, lacksEnds: lacksEnds)
    }

    @Test("it listens, waits for the numbers of all hosts, and for what they name")
    func usual() {
        var phase = VerifyPhase(0, listeningNanoseconds: 60 * second, resends: false)
        #expect(phase.advance(59 * second, facts()) == false)
        #expect(phase.advance(60 * second, facts(silent: true)) && phase.stage == .reporting)
        #expect(phase.advance(80 * second, facts(silent: true)) == false)
        #expect(phase.advance(89 * second, facts()) && phase.stage == .settling)
        #expect(phase.advance(90 * second, facts(missing: 3)) == false)
        #expect(phase.advance(99 * second, facts(missing: 2)) == false)
        #expect(phase.advance(108 * second, facts(missing: 2)) == false)
        #expect(phase.advance(109 * second, facts(missing: 2)) && phase.stage == .done)
    }

    @Test("a silent host is waited for as long as it takes to report, and no longer")
    func silent() {
        var phase = VerifyPhase(0, listeningNanoseconds: nil, resends: false)
        #expect(phase.advance(2 * second, facts(hosts: false)) == true)
        #expect(phase.advance(46 * second, facts(hosts: false)) == false)
        #expect(phase.advance(47 * second, facts(silent: true)) && phase.stage == .settling)
        #expect(phase.advance(48 * second, facts()) && phase.stage == .done)
    }

    @Test("while hosts are asked, it waits as long as asking has sense")
    func resending() {
        var phase = VerifyPhase(0, listeningNanoseconds: 0, resends: true)
        #expect(phase.advance(2 * second, facts()) && phase.advance(2 * second, facts()))
        #expect(phase.advance(40 * second, facts(missing: 5)) == false)
        #expect(phase.advance(41 * second, facts(missing: 5, hopeless: true)) == true)
    }

    @Test(
        "the first message of an epoch is waited for: it states where the one before ended", arguments: [false, true])
    func ends(resends: Bool) {
        var phase = VerifyPhase(0, listeningNanoseconds: 0, resends: resends)
        #expect(phase.advance(2 * second, facts()) && phase.advance(2 * second, facts()))
        var after = phase
        #expect(phase.advance(3 * second, facts(lacksEnds: true)) == false)
        #expect(phase.advance(13 * second, facts(lacksEnds: true)) && phase.stage == .done)
        #expect(after.advance(3 * second, facts()) && after.stage == .done)
    }
}
