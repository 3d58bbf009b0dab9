import Spool
import Testing
import Varlink

@testable import Fleet

@Suite struct GapTests {
    private let epoch = Identity(utcMicroseconds: 1, random: (1, 1))
    private let boot = Identity(utcMicroseconds: 2, random: (2, 2))

    private func object(_ text: String) throws -> JSONObject {
        guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else { return [:] }
        return object
    }

    @Test(
        "a message is known up to its last sample, or the end of its last gap",
        arguments: [
            (#"{"readings":[{"timestampNanoseconds":5}]}"#, 5, 5),
            (#"{"readings":[{"timestampNanoseconds":5},{"timestampNanoseconds":9}]}"#, 5, 9),
            (
                #"{"readings":[{"timestampNanoseconds":5,"values":{"columns":{"x":[1,2,3]},"periodNanoseconds":10}}]}"#,
                5, 25
            ),
            (
                #"{"readings":[{"timestampNanoseconds":5,"values":{"columns":{"x":[1,2]},"timestampsNanoseconds":[5,8]}}]}"#,
                5, 8
            ),
            (
                #"{"readings":[{"timestampNanoseconds":5}],"gaps":[{"fromNanoseconds":3,"untilNanoseconds":4}]}"#, 3, 5
            ),
            (#"{"gaps":[{"fromNanoseconds":3,"untilNanoseconds":40}]}"#, 3, 40),
        ])
    func span(text: String, first: Int64, last: Int64) throws {
        let span = try #require(MessageSpan(try object(text)))
        #expect(span.first == first && span.last == last)
    }

    @Test("what has neither readings nor gaps has no span, and hostile numbers are no instants")
    func spans() throws {
        for text in ["{}", #"{"readings":[]}"#, #"{"clock":{"bootNanoseconds":5}}"#, #"{"gaps":[{"cause":"x"}]}"#] {
            #expect(MessageSpan(try object(text)) == nil)
        }
        let hostile =
            #"{"readings":[{"timestampNanoseconds":9,"values":{"columns":{"x":[1,2,3]},"periodNanoseconds":9223372036854775807}}]}"#
        #expect(MessageSpan(try object(hostile))?.last == 9)
    }

    @Test("a gap begins after what is known, and is none if nothing is between")
    func gap() {
        let gap = BridgeGap(.bridgeRestarted, since: 10)
        #expect(Wire.gap(gap, of: "light", until: 10) == nil && Wire.gap(gap, of: "light", until: 9) == nil)
        let text = Wire.gap(gap, of: "light", until: 12).map { String(decoding: $0, as: UTF8.self) }
        #expect(
            text
                == #""gaps":[{"resource":"light","cause":"bridgeRestarted","fromNanoseconds":11,"untilNanoseconds":12}]"#
        )
    }

    @Test(
        "the first message of an epoch states the end of the one before, whether it is known, and what was not read then"
    )
    func began() throws {
        let clock = ClockReading(
            bootID: epoch, moment: Moment(bootNanoseconds: 1, utcMicroseconds: 2))
        let gap = FormerGap(bootID: boot, BridgeGap(.powerLoss, since: 6), until: 9)
        for (isUnknown, former) in [(true, gap), (false, nil)] {
            let members = Wire.began(.powerLoss, after: (boot, 7, isUnknown), former, known: 5, clock)
            let message = try #require(FleetMessage(Wire.object(epoch: epoch, number: 1, members: members)))
            #expect(message.former?.last == 7 && message.former?.isEndUnknown == isUnknown)
            #expect(message.formerGap == former && message.beginning == .powerLoss && message.clock == clock)
        }
        let members = Wire.began(.first, after: nil, nil, known: nil, clock)
        let message = try #require(FleetMessage(Wire.object(epoch: epoch, number: 1, members: members)))
        #expect(message.former == nil && message.formerGap == nil && message.beginning == .first)
    }
}
