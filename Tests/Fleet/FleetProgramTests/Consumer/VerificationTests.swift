import Fleet
import MQTT
import Testing

@testable import sensorbroker_fleet

private let second: Int64 = 1_000_000_000
private let epochs = HostMessages.epochs

/// A verification on virtual time.
private struct Rig {
    var verification: Verification
    var now: Int64 = 1_000 * second
    var requests: [String] = []
    /// What hosts answer to a request; nothing: they do not.
    var answer: (Int64) -> [ServerMessage] = { _ in [] }

    init(_ words: String...) throws {
        verification = Verification(try Arguments(["verify"] + words), prefix: "fleet")
        verification.begin(now)
    }

    mutating func take(_ messages: ServerMessage...) { for message in messages { take(message) } }

    private mutating func take(_ message: ServerMessage) {
        verification.take(message.topic, message.payload, isRetained: message.isRetained)
    }

    /// Goes on until it is over; how many seconds that took.
    mutating func finish(isStopped: Bool = false) -> Int64 {
        let began = now
        for _ in 0..<100_000 where !verification.isDone {
            for ask in verification.turn(now, isStopped: isStopped, isOnline: true) {
                requests.append("\(ask.host) \(String(decoding: ask.request.payload, as: UTF8.self))")
                for message in answer(now) { take(message) }
            }
            now = isStopped || verification.deadline == .max ? now + second / 4 : max(now + 1, verification.deadline)
        }
        return (now - began) / second
    }

    var summaries: [HostSummary] { verification.account.summaries }

    var verdict: VerifyVerdict { VerifyVerdict(summaries, hasRefusedHosts: false) }

    var text: String { VerifyText.text(summaries, verdict, unanswering: verification.unanswering) }
}

@Suite struct VerificationTests {
    private static func status(_ last: Int, _ state: String = "online") -> ServerMessage {
        HostMessages.status(state, #"{"light":{"last":\#(last)}}"#)
    }

    @Test("what is complete is proved")
    func complete() throws {
        var rig = try Rig("--for", "1h")
        for number in 1...20 { rig.take(HostMessages.light(number, number == 1 ? HostMessages.began() : "")) }
        rig.take(Self.status(20, "offline"))
        #expect(rig.finish(isStopped: true) < 5)
        #expect(rig.verdict.isComplete && rig.text.contains("van: offline, complete"))
        #expect(rig.text.contains("1 host: everything came, or was reported as lost."))
        let json = VerifyJSON.text(rig.summaries, rig.verdict)
        #expect(json.hasSuffix("{\"complete\":true,\"hosts\":1,\"missing\":0}\n"))
        #expect(
            json.contains(
                #""resource":"light","first":1,"newest":20,"arrived":20,"twice":0,"gaps":0,"lost":[],"missing":[]"#))
    }

    @Test(
        "an end that is not known is no proof",
        arguments: [
            (#","endUnknown":true"#, 3, "the host does not know where it ended"), ("", 2, "ended with 2, but 3 came"),
        ])
    func notProved(more: String, last: Int, words: String) throws {
        var rig = try Rig()
        for number in 1...3 { rig.take(HostMessages.light(number, number == 1 ? HostMessages.began() : "")) }
        let began = #","began":{"previous":"\#(epochs[0])","last":\#(last),"cause":"crash"\#(more)}"#
        rig.take(
            HostMessages.light(1, epoch: epochs[1], began),
            HostMessages.status("offline", #"{"light":{"last":1}}"#, epoch: epochs[1]))
        #expect(rig.finish() < 5 && !rig.verdict.isComplete && rig.verdict.missing == 0)
        #expect(rig.text.contains("van: offline, NOT PROVED") && rig.text.contains("not proved: "))
        #expect(
            rig.text.contains(words) && rig.text.contains("not proved, since it is not known where an epoch ended."))
        #expect(VerifyJSON.text(rig.summaries, rig.verdict).contains(#""complete":false,"proved":false"#))
    }

    @Test("without a duration it waits until each host has reported its numbers, and no longer")
    func reports() throws {
        var rig = try Rig()
        rig.take(HostMessages.light(1), Self.status(1))
        #expect(rig.finish() < 5 && rig.verdict.isComplete)
    }

    @Test("with a duration it listens for so long, and then each host has to report its numbers again")
    func duration() throws {
        var rig = try Rig("--for", "10min")
        rig.take(HostMessages.light(1), Self.status(1))
        let seconds = rig.finish()
        #expect((645...660).contains(seconds) && rig.summaries[0].isSilent, "it has sent nothing since")
    }

    @Test("what is missing is named after ten seconds, unless it comes")
    func missing() throws {
        var rig = try Rig()
        for number in [1, 2, 6, 7] { rig.take(HostMessages.light(number, number == 1 ? HostMessages.began() : "")) }
        rig.take(Self.status(9))
        #expect((11...20).contains(rig.finish()) && rig.requests.isEmpty)
        #expect(!rig.verdict.isComplete && rig.verdict.missing == 5)
        #expect(rig.text.contains("missing: 3-5, 8-9") && rig.text.contains("NOT COMPLETE"))
    }

    @Test("what is missing is asked for, and comes")
    func resent() throws {
        var rig = try Rig("--resend")
        for number in [1, 2, 6] { rig.take(HostMessages.light(number, number == 1 ? HostMessages.began() : "")) }
        rig.take(Self.status(6))
        rig.answer = { _ in (3...5).map { HostMessages.light($0, isLate: true) } }
        #expect(rig.finish() < 10 && rig.verdict.isComplete)
        #expect(rig.requests == [#"van {"resource":"light","epoch":"\#(epochs[0])","from":3,"to":5}"#])
    }

    @Test("what is sent once it asks is not expected")
    func frozen() throws {
        var rig = try Rig("--resend")
        for number in [1, 3] { rig.take(HostMessages.light(number, number == 1 ? HostMessages.began() : "")) }
        rig.take(Self.status(3))
        rig.answer = { _ in [HostMessages.light(2, isLate: true), HostMessages.light(900), Self.status(1_000)] }
        #expect(rig.finish() < 10 && rig.verdict.isComplete, "\(rig.text)")
    }

    @Test("a host that does not answer is asked five times, and then it is over")
    func hopeless() throws {
        var rig = try Rig("--resend")
        rig.take(HostMessages.light(1, HostMessages.began()), HostMessages.light(3), Self.status(3))
        #expect((60...200).contains(rig.finish()) && rig.requests.count == 5 && rig.verdict.missing == 1)
    }

    @Test("who listens for long asks meanwhile, since hosts do not keep everything until the end")
    func meanwhile() throws {
        var rig = try Rig("--resend", "--for", "1h")
        rig.take(
            HostMessages.light(1, HostMessages.began()), HostMessages.light(3), Self.status(3, "offline"),
            Self.status(3))
        rig.answer = { now in now < 1_070 * second ? [HostMessages.light(2, isLate: true)] : [] }
        _ = rig.finish()
        #expect(rig.requests.count == 1 && rig.verdict.missing == 0)
    }

    @Test("a host that reports and does not answer may not be allowed to; one that is away may answer later")
    func reasons() throws {
        var rig = try Rig("--resend")
        rig.take(HostMessages.light(1, HostMessages.began()), HostMessages.light(3), Self.status(3))
        rig.answer = { _ in [Self.status(3)] }
        #expect((120...140).contains(rig.finish()) && rig.requests.count == 5)
        #expect(rig.text.contains("it did not answer: do the server's rules let you"))
        #expect(rig.text.contains("and 1 message was not reported as lost."))
        var away = try Rig("--resend")
        away.take(
            HostMessages.light(1, HostMessages.began()), HostMessages.light(3), Self.status(3), Self.status(3, "lost"))
        #expect((60...80).contains(away.finish()) && away.requests.isEmpty)
        #expect(away.text.contains("van: lost, NOT COMPLETE while it is away"))
        #expect(away.text.contains("1 message was not reported as lost; 1 of them may come once their hosts are back."))
        #expect(!away.text.contains("did not answer"))
    }

    @Test("who comes later expects what comes then, or all that was sent", arguments: [true, false])
    func later(wantsAll: Bool) throws {
        var rig = try wantsAll ? Rig("--all") : Rig()
        rig.take(HostMessages.status("online", #"{"light":{"last":29}}"#, isRetained: true))
        for number in 30...40 { rig.take(HostMessages.light(number)) }
        rig.take(Self.status(40))
        _ = rig.finish()
        #expect(rig.verdict.missing == (wantsAll ? 29 : 0))
    }

    @Test("where nothing is sent nothing is proved")
    func nobody() throws {
        var rig = try Rig("--host", "nobody")
        rig.take(HostMessages.light(1), Self.status(1))
        #expect((45...60).contains(rig.finish()) && rig.summaries.isEmpty && !rig.verdict.isComplete)
    }

    @Test("a host that sends nothing but should is not proved")
    func silent() throws {
        var rig = try Rig()
        rig.take(HostMessages.status("online", #"{"location":{"last":7}}"#, isRetained: true))
        #expect((45...70).contains(rig.finish()) && !rig.verdict.isComplete)
        #expect(rig.text.contains("did not report its newest numbers"))
    }

    @Test("only the hosts and resources that were named count")
    func named() throws {
        var rig = try Rig("--host", "tr*", "--resource", "location")
        rig.take(HostMessages.light(1), HostMessages.light(3), HostMessages.light(1, host: "truck"))
        rig.take(HostMessages.status("online", #"{"light":{"last":9},"location":{"last":0}}"#, host: "truck"))
        _ = rig.finish()
        #expect(rig.summaries.map(\.host) == ["truck"] && rig.verdict.isComplete)
    }

    @Test("giant numbers do not overflow the verdict")
    func giants() throws {
        var rig = try Rig("--all")
        rig.take(
            HostMessages.message("light", #"{"epoch":"\#(epochs[0])","number":9223372036854775806}"#),
            HostMessages.message("light", #"{"epoch":"\#(epochs[1])","number":9223372036854775806}"#),
            HostMessages.message("light", #"{"epoch":"\#(epochs[2])","number":9223372036854775806}"#))
        _ = rig.finish()
        #expect(rig.verdict.missing == .max && rig.text.contains("van: "))
    }
}
