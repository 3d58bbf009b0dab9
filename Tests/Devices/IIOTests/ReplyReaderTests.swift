import Testing

@testable import IIO

/// Bytes from an iiod, and how they are read.
struct ReplyReaderTests {
    private struct Reply: Equatable {
        var code = 0
        var payload = ""
        var mask = ""
        var isWhole = true
    }

    private let mask = "00000007\n"

    private func read(
        _ text: String, _ shape: ReplyReader.Shape, piece: Int = .max
    ) throws(ProtocolBreach) -> Reply {
        var reader = ReplyReader()
        reader.begin(shape)
        var rest = Array(text.utf8)[...]
        var isWhole = false
        while !rest.isEmpty {
            isWhole = try reader.take(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        return Reply(
            code: reader.code, payload: String(decoding: reader.payload, as: UTF8.self),
            mask: String(decoding: reader.mask, as: UTF8.self), isWhole: isWhole)
    }

    private func breach(_ text: String, _ shape: ReplyReader.Shape) -> ProtocolBreach? {
        do throws(ProtocolBreach) { _ = try read(text, shape) } catch { return error }
        return nil
    }

    @Test("replies are the same in whatever pieces they arrive", arguments: [1, 2, 3, 7, Int.max])
    func pieces(piece: Int) throws {
        #expect(try read("0\n", .code, piece: piece) == Reply())
        #expect(try read("-22\n", .code, piece: piece) == Reply(code: -22))
        #expect(try read("\n\n12\n", .code, piece: piece) == Reply(code: 12))
        #expect(try read("5\nhello\n", .text(limit: 5), piece: piece) == Reply(code: 5, payload: "hello"))
        #expect(try read("0\n\n", .text(limit: 5), piece: piece) == Reply())
        #expect(
            try read("4\n\(mask)abcd4\nefgh", .samples(limit: 8, maskWords: 1), piece: piece)
                == Reply(code: 4, payload: "abcdefgh", mask: "00000007"))
        #expect(
            try read("4\n\(mask)abcd0\n", .samples(limit: 8, maskWords: 1), piece: piece)
                == Reply(code: 4, payload: "abcd", mask: "00000007"))
        #expect(try read("-110\n", .samples(limit: 8, maskWords: 1), piece: piece) == Reply(code: -110))
        #expect(try read("4\n\(mask)abcd-32\n", .samples(limit: 8, maskWords: 1), piece: piece).code == -32)
    }

    @Test("a truncated reply is incomplete")
    func unfinished() throws {
        for text in ["", "-", "1", "4\nabc", "4\nabcd"] {
            #expect(try !read(text, .text(limit: 4)).isWhole)
        }
        for text in ["4\n", "4\n0000000", "4\n\(mask)abc", "4\n\(mask)abcd", "4\n\(mask)abcd4\nefg"] {
            #expect(try !read(text, .samples(limit: 8, maskWords: 1)).isWhole)
        }
    }

    @Test("data that would not fit is refused when its length is announced")
    func tooMuch() {
        let samples = ReplyReader.Shape.samples(limit: 8, maskWords: 1)
        #expect(breach("9\n", samples) == .tooMuch(announced: 9, room: 8))
        #expect(breach("2147483647\n", samples) == .tooMuch(announced: 2_147_483_647, room: 8))
        #expect(breach("4\n\(mask)abcd5\n", samples) == .tooMuch(announced: 5, room: 4))
        #expect(breach("6\n", .text(limit: 5)) == .tooMuch(announced: 6, room: 5))
    }

    @Test(
        "text that is not a number, or not a plausible one, is refused",
        arguments: [
            "sixteen\n", "1 2\n", "--1\n", "-\n", "+1\n", "1\r\n", "2147483648\n", "-4096\n", "-2147483648\n", "0x10\n",
            "11111111111", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
        ])
    func noNumber(text: String) { #expect(breach(text, .code) == .noNumber) }

    @Test("a text has its announced length, a mask is valid, and nothing follows a reply")
    func shapes() {
        #expect(breach("4\n1234567", .text(limit: 9)) == .unended)
        #expect(breach("4\n-0000001\n", .samples(limit: 4, maskWords: 1)) == .mask)
        #expect(breach("4\n000000071", .samples(limit: 4, maskWords: 1)) == .mask)
        #expect(breach("0\n0\n", .code) == .unasked)
        #expect(breach("4\n\(mask)abcd0\n", .samples(limit: 4, maskWords: 1)) == .unasked)
    }

    @Test("a reader can be reused for another reply, without traces of the previous one")
    func again() throws {
        var reader = ReplyReader()
        reader.begin(.text(limit: 9))
        #expect(try reader.take(Array("3\nabc\n".utf8)[...]))
        reader.begin(.code)
        #expect(reader.payload.isEmpty)
        #expect(try reader.take(Array("7\n".utf8)[...]))
        #expect(reader.code == 7)
    }
}
