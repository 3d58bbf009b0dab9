import Spool
import Testing
import Varlink

@testable import Fleet

private let first = Identity(text: String(repeating: "01", count: 16)) ?? Identity(utcMicroseconds: 0, random: (0, 0))
private let second = Identity(text: String(repeating: "02", count: 16)) ?? Identity(utcMicroseconds: 0, random: (0, 0))
private let third = Identity(text: String(repeating: "03", count: 16)) ?? Identity(utcMicroseconds: 0, random: (0, 0))

/// A consumer of one host, by what a test lets it hear.
private struct Ear {
    var account: FleetAccount

    init(_ start: FleetAccount.Start = .joining, resources: Set<String> = []) {
        account = FleetAccount(from: start, resources: resources)
    }

    mutating func hear(_ numbers: ClosedRange<Int>, _ epoch: Identity = first, late: Bool = false, more: String = "") {
        for number in numbers { hear(#"{"epoch":"\#(epoch)","number":\#(number)\#(more)}"#, late: late) }
    }

    mutating func hear(_ line: String, late: Bool = false, resource: String = "location") {
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
        hear(
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
    @Test("what is missing in the middle is named, until it comes late, or is told as lost")
    func middle() {
        var ear = Ear()
        ear.hear(1...9)
        ear.hear(13...20)
        #expect(ear.missing == ["01: 10-12"])
        ear.hear(11...11, late: true)
        #expect(ear.missing == ["01: 10-10", "01: 12-12"])
        ear.hear(21...21, more: #","lost":{"epoch":"\#(first)","from":12,"to":12,"cause":"gone"}"#)
        ear.hear(10...10, late: true)
        ear.status(21)
        #expect(ear.missing.isEmpty && ear.stream?.losses == [LossSummary(cause: "gone", numbers: 12...12)])
        #expect(ear.account.summaries.first?.isComplete == true && ear.stream?.arrived == 20)
        // What comes nevertheless is no loss.
        ear.hear(12...12, late: true)
        #expect(ear.stream?.losses.isEmpty == true)
    }

    @Test("what is missing at the end is known by the status alone")
    func end() {
        var ear = Ear()
        ear.status(0)
        ear.hear(1...100)
        #expect(ear.missing.isEmpty)
        ear.status(459)
        #expect(ear.missing == ["01: 101-459"])
        ear.account.freeze()
        ear.status(600)
        ear.hear(601...601)
        #expect(ear.missing == ["01: 101-459"])
    }

    @Test("a host that comes back when listening is over tells where its former epoch ended, and more is not expected")
    func backAfterwards() {
        var ear = Ear()
        ear.status(0)
        ear.hear(1...3)
        ear.account.freeze()
        ear.status(1, second)
        ear.begin(second, after: first, last: 3, .crash)
        #expect(!ear.account.lacksEnds && ear.account.summaries.first?.isComplete == true)
    }

    @Test("a new epoch tells where the former one ended, and all of it is expected")
    func epochs() {
        var ear = Ear()
        ear.hear(1...7)
        ear.begin(second, after: first, last: 9, .powerLoss)
        #expect(ear.missing == ["01: 8-9"])
        ear.hear(3...3, second)
        #expect(ear.missing == ["01: 8-9", "02: 2-2"])
        #expect(ear.account.summaries.first?.epochs.last?.beginning == .powerLoss)
    }

    @Test("an end that the host does not know, or that what came contradicts, proves nothing")
    func doubt() throws {
        var ear = Ear()
        ear.hear(1...7)
        ear.begin(second, after: first, last: 7, .crash, more: #","endUnknown":true"#)
        ear.status(1, second)
        #expect(ear.missing.isEmpty && ear.account.summaries.first?.isComplete == false)
        #expect(ear.account.summaries.first?.epochs.first?.streams.first?.doubt == .unknown)

        var other = Ear()
        other.hear(1...7)
        other.begin(second, after: first, last: 5, .crash)
        other.status(1, second)
        let summary = try #require(other.account.summaries.first)
        #expect(summary.hasAll && !summary.isProved && !summary.isComplete)
        #expect(summary.epochs.first?.streams.first?.doubt == .contradicted(5, by: 7))
    }

    @Test("an epoch that is over, and of which no other one tells the end, proves nothing")
    func withoutEnd() {
        var ear = Ear()
        ear.hear(1...7)
        ear.hear(1...1, third, more: #","began":{"cause":"first"}"#)
        ear.status(1, third)
        #expect(ear.missing.isEmpty && ear.account.summaries.first?.isProved == false)
        ear.begin(second, after: first, last: 7, .crash, late: true)
        #expect(ear.account.summaries.first?.isProved == true)
    }

    @Test("a stream that was left out of the next epoch proves nothing, unless the host ended in order")
    func leftOut() {
        for (state, doubt) in [(HostState.online, StreamDoubt.untold), (.offline, nil)] {
            var ear = Ear()
            ear.hear(1...7)
            ear.hear(#"{"epoch":"\#(first)","number":1}"#, resource: "tilt")
            ear.status(7, state: state)
            ear.hear(
                #"{"epoch":"\#(second)","number":1,"began":{"previous":"\#(first)","last":1,"cause":"crash"}}"#,
                resource: "tilt")
            ear.status(1, second, resource: "tilt")
            let summary = ear.account.summaries.first
            #expect(summary?.hasAll == true && summary?.isProved == (doubt == nil))
            #expect(summary?.epochs.first?.streams.map(\.doubt) == [doubt, nil])
            #expect(ear.account.lacksEnds == (doubt != nil))
        }
    }

    @Test("an epoch that was spooled and never sent live is expected whole once the next one names it")
    func spooledEpoch() {
        var ear = Ear()
        ear.status(40, first, retained: true, state: .offline)
        ear.hear(5...8, second, late: true)
        #expect(ear.missing.isEmpty)
        ear.begin(third, after: second, last: 9, .restart, late: true)
        ear.status(1, third)
        #expect(ear.missing == ["02: 1-4", "02: 9-9"])
        // Of the epoch before we came nothing is expected.
        ear.begin(second, after: first, last: 40, .restart, late: true)
        #expect(ear.missing == ["02: 2-4", "02: 9-9"])
    }

    private func numbers(_ range: ClosedRange<UInt64>) -> NumberSet {
        var numbers = NumberSet()
        numbers.insert(range)
        return numbers
    }

    @Test("an epoch that began while a recording paused is expected whole, and one that it has goes on")
    func paused() {
        for (epoch, missing) in [(second, ["02: 1-5"]), (first, ["01: 4-5"])] {
            var ear = Ear()
            ear.account.resume("truck", first, "location", numbers(1...3), after: 3)
            ear.status(5, epoch, retained: true)
            ear.status(5, epoch)
            ear.hear(6...6, epoch)
            #expect(ear.missing == missing)
        }
    }

    @Test("who comes in the middle of an epoch expects what comes at its time from then on")
    func joining() {
        var ear = Ear()
        ear.status(100, retained: true)
        ear.hear(40...41, late: true)
        ear.hear(121...122)
        ear.hear(43...43, late: true)
        #expect(ear.missing.isEmpty && ear.stream?.first == 121)
        ear.hear(125...125)
        #expect(ear.missing == ["01: 123-124"])
        // The end of the epoch is told by the next one.
        ear.begin(second, after: first, last: 127, .crash)
        #expect(ear.missing == ["01: 123-124", "01: 126-127"])

        var silent = Ear()
        silent.status(100, retained: true)
        #expect(silent.account.silent == ["truck"])
        silent.status(110)
        #expect(silent.missing.isEmpty && silent.account.silent.isEmpty)
        silent.status(113)
        #expect(silent.missing == ["01: 111-113"])

        var whole = Ear(.beginning)
        whole.status(100, retained: true)
        whole.hear(101...101)
        #expect(whole.missing == ["01: 1-100"])
    }

    @Test("who comes before a host expects it from number 1 on")
    func newHost() {
        var ear = Ear()
        ear.hear(3...5)
        #expect(ear.missing == ["01: 1-2"])
    }

    @Test("what comes twice is counted, and is not new")
    func twice() throws {
        var ear = Ear()
        ear.hear(1...5, more: #","gaps":[{"cause":"deviceLost"}]"#)
        ear.hear(2...4, late: true, more: #","gaps":[{"cause":"deviceLost"}]"#)
        ear.status(5)
        let stream = try #require(ear.stream)
        #expect(stream.repeated == 3 && stream.arrived == 5 && stream.gaps == 5)
        #expect(ear.account.summaries.first?.isComplete == true)
    }

    @Test("losses are told with any message, of any epoch, again and overlapping")
    func losses() {
        var ear = Ear(.beginning)
        ear.begin(second, after: first, last: 50, .restart)
        ear.hear(2...2, second, more: #","lost":{"epoch":"\#(first)","from":1,"to":30,"cause":"evicted"}"#)
        ear.hear(3...3, second, more: #","lost":{"epoch":"\#(first)","from":20,"to":45,"cause":"evicted"}"#)
        ear.hear(4...4, second, more: #","lost":{"epoch":"\#(first)","from":40,"to":9000,"cause":"nobody's word"}"#)
        #expect(ear.missing.isEmpty)
        #expect(
            ear.account.summaries.first?.epochs.first?.streams.first?.losses == [
                LossSummary(cause: "evicted", numbers: 1...45), LossSummary(cause: "other", numbers: 40...50),
            ])
    }

    @Test("only what was asked for is expected")
    func resources() {
        var ear = Ear(resources: ["light"])
        ear.hear(3...3)
        ear.status(9)
        ear.status(2, resource: "light")
        ear.hear(#"{"epoch":"\#(first)","number":1}"#, resource: "light")
        #expect(ear.account.missing.map(\.resource) == ["light"] && ear.missing == ["01: 2-2"])
    }

    @Test("a host without an end, without numbers, or with a lost connection is told apart")
    func states() {
        var ear = Ear()
        ear.hear(1...2)
        #expect(ear.account.silent == ["truck"])
        ear.status(2)
        #expect(ear.account.silent.isEmpty)
        ear.account.expectReports()
        #expect(ear.account.silent == ["truck"])
        ear.status(0, state: .lost)
        #expect(ear.account.silent.isEmpty && ear.missing.isEmpty)
    }

    @Test(
        "what is no message is told, and is not taken",
        arguments: [
            "", "[]", "{}", "no", #"{"epoch":"1","number":1}"#, #"{"epoch":"\#(first)"}"#,
            #"{"epoch":"\#(first)","number":0}"#, #"{"epoch":"\#(first)","number":-1}"#,
            #"{"epoch":"\#(first)","number":1.5}"#, #"{"epoch":"\#(first)","number":99999999999999999999}"#,
            #"{"epoch":"\#(first)","number":1,"lost":{"epoch":"\#(first)","from":3,"to":2,"cause":"gone"}}"#,
            #"{"epoch":"\#(first)","number":1,"began":{"previous":"\#(second)","cause":"crash"}}"#,
            #"{"epoch":"\#(first)","number":1,"number":2}"#, String(repeating: "[", count: 5_000),
        ])
    func hostileMessages(_ line: String) {
        var ear = Ear()
        ear.hear(line)
        #expect(ear.account.summaries.first?.unreadable == 1 && ear.account.summaries.first?.isComplete == false)
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

    @Test("a status tells the backlog, and for how long the host keeps what has arrived; older programs do not")
    func statusOptions() throws {
        let told = try #require(
            HostReport(Wire.status(.online, epoch: first, streams: [], backlog: 7, keepsNanoseconds: .max)))
        #expect(told.backlog == 7 && told.keepsNanoseconds == .max)
        let old = try #require(HostReport(Wire.status(.online, epoch: first, streams: [])))
        #expect(old.backlog == nil && old.keepsNanoseconds == nil)
    }

    @Test("of numbers that did not come, each part has the cause that was told")
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
        var ear = Ear()
        ear.account.resume("truck", first, "location", numbers(1...7), after: 7)
        ear.status(20, retained: true)
        ear.hear(22...22)
        #expect(ear.missing == ["01: 8-21"])
        #expect(ear.account.first(of: "truck", first, "location") == 1)
        #expect(ear.account.firstUnknown(of: "truck", first, "location", from: 3) == 8)
    }

    @Test("giant numbers are missing, and cost nothing")
    func giants() {
        var ear = Ear()
        let giant = UInt64(Int64.max - 1)
        ear.hear(#"{"epoch":"\#(first)","number":\#(giant)}"#)
        #expect(ear.missing == ["01: 1-\(giant - 1)"])
        ear.hear(
            #"{"epoch":"\#(first)","number":2,"lost":{"epoch":"\#(first)","from":1,"to":\#(giant),"cause":"gone"}}"#)
        #expect(ear.missing.isEmpty)
    }

    @Test("a hostile host has a bounded share of memory, is told, and takes none from others")
    func floods() throws {
        var ear = Ear()
        let empty = try #require(FleetMessage(Array(#"{"epoch":"\#(first)","number":1}"#.utf8)))
        for number in 1...15_000 {
            let text = String(number, radix: 16)
            let epoch = String(repeating: "0", count: 32 - text.count) + text
            ear.hear(#"{"epoch":"\#(epoch)","number":1}"#)
        }
        #expect(ear.account.summaries.first?.isOverrun == true)
        #expect(ear.account.summaries.first?.isComplete == false)
        #expect((ear.account.summaries.first?.epochs.count ?? 0) < 5_001)
        for number in stride(from: 1, to: 80_001, by: 2) {
            let message = try #require(FleetMessage(Array(#"{"epoch":"\#(first)","number":\#(number)}"#.utf8)))
            ear.account.take(message, of: "holes", resource: "location", isLate: false)
        }
        #expect((ear.account.summaries.first?.epochs.first?.streams.first?.missing.count ?? 0) < 20_000)
        ear.account.take(empty, of: "van", resource: "location", isLate: false)
        #expect(ear.account.summaries.last?.isComplete == false && ear.account.silent.contains("van"))

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

    @Test("the first message of an epoch is waited for: it tells where the one before ended", arguments: [false, true])
    func ends(resends: Bool) {
        var phase = VerifyPhase(0, listeningNanoseconds: 0, resends: resends)
        #expect(phase.advance(2 * second, facts()) && phase.advance(2 * second, facts()))
        var told = phase
        #expect(phase.advance(3 * second, facts(lacksEnds: true)) == false)
        #expect(phase.advance(13 * second, facts(lacksEnds: true)) && phase.stage == .done)
        #expect(told.advance(3 * second, facts()) && told.stage == .done)
    }
}
