import TestTools
import Testing
import Varlink

@Suite struct MessageFramerTests {
    @Test("a message ends at its NUL, which is not part of it")
    func oneMessage() throws {
        var framer = MessageFramer(maximumBytes: 100)
        framer.append(contentsOf: bytes("{}\0"))
        #expect(try framer.next() == bytes("{}"))
        #expect(try framer.next() == nil)
        #expect(!framer.hasUnfinishedMessage)
    }

    @Test("several messages of one read are returned in order, including an empty one")
    func manyMessages() throws {
        var framer = MessageFramer(maximumBytes: 100)
        framer.append(contentsOf: bytes("a\0\0bc\0d").span)
        #expect(try framer.next() == bytes("a"))
        #expect(try framer.next() == [])
        #expect(try framer.next() == bytes("bc"))
        #expect(try framer.next() == nil)
        #expect(framer.hasUnfinishedMessage)
        framer.append(contentsOf: bytes("e\0"))
        #expect(try framer.next() == bytes("de"))
    }

    @Test("a message that arrives byte by byte is complete with its last byte")
    func byteByByte() throws {
        var framer = MessageFramer(maximumBytes: 100)
        for byte in bytes("{\"method\":\"a.b\"}") {
            framer.append(contentsOf: [byte])
            #expect(try framer.next() == nil)
            #expect(framer.hasUnfinishedMessage)
        }
        framer.append(contentsOf: [0])
        #expect(try framer.next() == bytes("{\"method\":\"a.b\"}"))
    }

    @Test("a message of just the limit passes, one byte more does not")
    func limit() throws {
        var framer = MessageFramer(maximumBytes: 4)
        framer.append(contentsOf: bytes("1234\0"))
        #expect(try framer.next() == bytes("1234"))
        framer.append(contentsOf: bytes("12345\0"))
        #expect(throws: FramingError.messageTooLarge(maximumBytes: 4)) { try framer.next() }
        #expect(throws: FramingError.messageTooLarge(maximumBytes: 4)) { try framer.next() }
    }

    @Test("an unfinished message longer than the limit is an error before its end comes")
    func unfinishedLimit() throws {
        var framer = MessageFramer(maximumBytes: 4)
        framer.append(contentsOf: bytes("ok\0 1234"))
        #expect(try framer.next() == bytes("ok"))
        #expect(throws: FramingError.messageTooLarge(maximumBytes: 4)) { try framer.next() }
    }

    @Test("the limit applies to a message, not to the stream")
    func limitIsPerMessage() throws {
        var framer = MessageFramer(maximumBytes: 2)
        framer.append(contentsOf: bytes("ab\0cd\0ef\0g"))
        var messages: [[UInt8]] = []
        while let message = try framer.next() { messages.append(message) }
        #expect(messages == [bytes("ab"), bytes("cd"), bytes("ef")])
    }

    @Test("however a stream is split, the same messages come out", arguments: UInt64(1)...50)
    func anySplit(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let messages = (0..<Int.random(in: 0...40, using: &random)).map { _ in
            (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 1...255, using: &random) }
        }
        let stream = Array(messages.map { $0 + [0] }.joined()) + [7]
        var framer = MessageFramer(maximumBytes: 60)
        var got: [[UInt8]] = []
        var sent = 0
        while sent < stream.count {
            let end = min(stream.count, sent + Int.random(in: 1...90, using: &random))
            framer.append(contentsOf: stream[sent..<end])
            while let message = try framer.next() { got.append(message) }
            sent = end
        }
        #expect(got == messages)
        #expect(framer.hasUnfinishedMessage)
    }
}
