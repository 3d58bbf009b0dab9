import Fleet
import TestTools
import Testing

@testable import Spool
@testable import sensorbroker_mqtt

@Suite struct PartsTests {
    @Test("a group is divided until its parts fit, and what does not fit alone is named")
    func divided() throws {
        let epoch = Identity(utcMicroseconds: 1, random: (1, 1))
        let objects = (1...9).map { number -> [UInt8] in
            Wire.object(
                epoch: epoch, number: UInt64(number),
                members: Array(#""x":"\#(Self.noise(number == 4 ? 900 : 90, number))""#.utf8))
        }
        let lines = objects.flatMap { object -> [UInt8] in object + [10] }
        let frame = try #require(GroupFrame.compressed(lines))
        #expect(GroupFrame.lines(of: frame) == lines && GroupFrame.lines(of: Array(frame.dropLast(4))) != lines)
        let message = SpooledMessage(
            serial: 0, bootNanoseconds: 0, stream: "light", epoch: epoch,
            message: Message(form: .group, number: 1, count: 9, payload: frame))
        let (whole, none) = Parts.of(message, most: frame.count)
        #expect(whole == [frame] && none.isEmpty)
        let (payloads, tooLarge) = Parts.of(message, most: 500)
        #expect(tooLarge == [4...4] && payloads.count > 1 && payloads.allSatisfy { $0.count <= 500 })
    }

    /// Letters that cannot be compressed much.
    private static func noise(_ count: Int, _ seed: Int) -> String {
        var dice = SeededGenerator(seed: UInt64(seed))
        return String(decoding: (0..<count).map { _ in UInt8(97 + dice.below(26)) }, as: UTF8.self)
    }
}
