import Readings
import Testing
import Varlink

@testable import BrokerClient

@Suite("A reading that was received") struct ReadingTests {
    private func reading(_ values: String) throws -> Reading {
        let text = #"{"resource":"accelerometer","sequence":4,"timestampNanoseconds":100,"values":"# + values + "}"
        guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else { throw BrokenTest() }
        return try Reading(Parameters(object))
    }

    private struct BrokenTest: Error {}

    @Test("has the same values, packed or not")
    func packed() throws {
        let plain = try reading(#"{"columns":{"x":[1.0,2.0],"y":[0.5,0.5],"z":[-1.0,8.0]},"periodNanoseconds":10}"#)
        let packed = try reading(
            #"{"packed":{"x":"AACAPwAAAEA=","y":"AAAAPwAAAD8=","z":"AACAvwAAAEE="},"periodNanoseconds":10}"#)
        #expect(packed.content == plain.content)
        #expect(packed.sampleCount == 2)
        guard case .values(let columns) = packed.content else { throw BrokenTest() }
        #expect(columns.timestampsNanoseconds == [100, 110])
        #expect(columns.numbers(1) == [2, 0.5, 8])
    }

    @Test("has the same times, as such or as packed steps")
    func steps() throws {
        let columns = #"{"packed":{"x":"AACAPwAAAEAAAEBA"},"#
        let plain = try reading(columns + #""timestampsNanoseconds":[100,110,130]}"#)
        #expect(try reading(columns + #""packedStepsNanoseconds":"CgAAABQAAAA="}"#).content == plain.content)
        guard case .values(let content) = plain.content else { throw BrokenTest() }
        #expect(content.timestampsNanoseconds == [100, 110, 130])
    }

    @Test(
        "is refused where its columns are of different lengths, or not what packed columns are",
        arguments: [
            #"{"packed":{"x":"AACAPwAAAEA=","y":"AACAPw==","z":"AACAPw=="}}"#,
            #"{"packed":{"x":"AACAPwAAAEA="},"packedStepsNanoseconds":"CgAAABQAAAA="}"#,
            #"{"packed":{"x":"AACAPwAAAEA="},"packedStepsNanoseconds":"CgAA"}"#,
            #"{"packed":{"x":"AACAPwAAAEA="},"packedStepsNanoseconds":[10]}"#,
            #"{"packed":{"x":"AACAPw"}}"#, #"{"packed":{"x":[1.0]}}"#, #"{"packed":{"x":"AADAfw=="}}"#, "{}",
        ])
    func refused(_ values: String) { #expect(throws: VarlinkError.self) { try reading(values) } }

    @Test(
        "can be cut after a number of samples, in whatever form they came",
        arguments: [
            #"{"columns":{"x":[1.0,2.0,3.0]},"periodNanoseconds":10}"#,
            #"{"columns":{"x":[1.0,2.0,3.0]},"timestampsNanoseconds":[100,110,120]}"#,
            #"{"packed":{"x":"AACAPwAAAEAAAEBA"},"packedStepsNanoseconds":"CgAAAAoAAAA="}"#,
            #"{"packed":{"x":"AACAPwAAAEAAAEBA"},"periodNanoseconds":10}"#,
        ])
    func cut(_ values: String) throws {
        let whole = try reading(values)
        #expect(try whole.prefix(3) == whole && whole.prefix(9) == whole)
        for count in 1...2 {
            let part = try whole.prefix(count)
            #expect(part.sampleCount == count && part.sequence == whole.sequence)
            guard case .values(let columns) = part.content else { throw BrokenTest() }
            let numbers: [[Double]] = (0..<count).map { columns.numbers($0) }
            let stamps: [Int64] = (0..<count).map { 100 + Int64($0) * 10 }
            #expect(numbers == (1...count).map { (sample: Int) -> [Double] in [Double(sample)] })
            #expect(columns.timestampsNanoseconds == stamps)
        }
        #expect(try whole.prefix(1).object["values"] == ["columns": ["x": [1.0]]])
    }

    @Test("is cut together with what is aligned to it")
    func cutAligned() throws {
        let text =
            #"{"resource":"a","sequence":4,"timestampNanoseconds":100,"values":{"columns":{"x":[1.0,2.0]},"#
            + #""periodNanoseconds":10},"#
            + #""aligned":[{"resource":"b","alignment":"interpolated","columns":{"value":[5.0,null]}}]}"#
        guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else { throw BrokenTest() }
        let part = try Reading(Parameters(object)).prefix(1)
        #expect(part.sampleCount == 1 && part.aligned[0].number("value", row: 0) == 5)
        guard case .array(let aligned)? = part.object["aligned"], case .object(let other)? = aligned.first else {
            throw BrokenTest()
        }
        #expect(other["columns"] == ["value": [5.0]] && other["resource"] == "b")
    }
}
