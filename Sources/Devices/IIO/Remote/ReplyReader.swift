// The boundary between an iiod and the daemon.
//
// libiio 0.24 trusts the iiod: its network client writes as many bytes into a buffer as the iiod announces, however
// small the buffer, and its reader of descriptions takes text from where there may be none. The first lets a stranger
// write into our memory, the second can end the process. There were three ways to keep a stranger's bytes away from
// libiio:
//
// * A relay in the daemon, which lets through only what it has checked. It must parse all requests and all replies, and
//   write each description again; libiio reaches it through a local port that everybody can connect to; and each sample
//   is sent twice.
// * A process with nothing to lose. It would die at each breach, and its memory would be the attacker's until then; it
//   costs a process, a channel and a protocol of our own, whose reader would need the same care.
// * Our own client. It needs what the relay needs, without the port, the copies and libiio: six commands, and the
//   reader of replies in this file.
//
// So no byte from an iiod reaches libiio, which reads this host's devices only. This file decides: bytes in, a checked
// reply or a breach out, with no more memory than the request allows. `RemoteConnection` moves the bytes.

/// Parses the reply to one request, in whatever pieces its bytes come.
struct ReplyReader {
    /// The form of the answer to a request, and its maximum size.
    enum Shape: Equatable {
        /// A number.
        case code
        /// A number of bytes, the bytes, and an end of line.
        case text(limit: Int)
        /// Blocks of samples. Each is a number of bytes and the bytes; the first also has the channel mask before its
        /// bytes. The reply ends when everything has arrived, or with a number of zero.
        case samples(limit: Int, maskWords: Int)
    }

    private enum Part: Equatable {
        case number
        case text(left: Int)
        case mask(left: Int)
        case block(left: Int)
        case end
    }

    private var shape = Shape.code
    private var part = Part.end
    private var isNegative = false
    private var digits = 0
    private var emptyLines = 0
    private var magnitude = 0

    /// The reply's first number, or the last one if that is an error: -errno.
    private(set) var code = 0
    /// The text, or the samples.
    private(set) var payload: [UInt8] = []
    /// The channels in the samples: eight hexadecimal digits for each 32 channels, the last channels first.
    private(set) var mask: [UInt8] = []

    private static let mostEmptyLines = 16
    /// The digits of the largest number that makes sense.
    private static let mostDigits = 10
    /// The kernel's largest errno.
    static let mostErrno = 4095

    /// Forgets the last reply and expects another.
    mutating func begin(_ shape: Shape) {
        self.shape = shape
        code = 0
        payload.removeAll(keepingCapacity: true)
        mask.removeAll(keepingCapacity: true)
        beginNumber()
    }

    /// Takes the bytes that have arrived; true once the reply is complete.
    mutating func take(_ bytes: ArraySlice<UInt8>) throws(ProtocolBreach) -> Bool {
        var rest = bytes
        while !rest.isEmpty, part != .end {
            switch part {
            case .number: try takeNumber(&rest)
            case .text(let left):
                let missing = Self.move(&rest, left, to: &payload)
                part = missing > 0 ? .text(left: missing) : .end
                if missing == 0, payload.popLast() != UInt8(ascii: "\n") { throw .unended }
            case .mask(let left):
                let missing = Self.move(&rest, left, to: &mask)
                part = missing > 0 ? .mask(left: missing) : .block(left: code)
                if missing == 0 { try checkMask() }
            case .block(let left):
                let missing = Self.move(&rest, left, to: &payload)
                part = missing > 0 ? .block(left: missing) : .end
                if missing == 0, payload.count < limit { beginNumber() }
            case .end: break
            }
        }
        guard rest.allSatisfy({ $0 == UInt8(ascii: "\n") }) else { throw .unasked }
        return part == .end
    }

    private var limit: Int {
        switch shape {
        case .code: 0
        case .text(let limit), .samples(let limit, _): limit
        }
    }

    private mutating func beginNumber() {
        part = .number
        (isNegative, digits, emptyLines, magnitude) = (false, 0, 0, 0)
    }

    /// Moves the bytes that are there, and returns how many are still to come.
    private static func move(_ rest: inout ArraySlice<UInt8>, _ left: Int, to target: inout [UInt8]) -> Int {
        let taken = rest.prefix(left)
        target.append(contentsOf: taken)
        rest = rest.dropFirst(taken.count)
        return left - taken.count
    }

    /// Reads up to the end of the line; empty lines before it are the end of some earlier replies.
    private mutating func takeNumber(_ rest: inout ArraySlice<UInt8>) throws(ProtocolBreach) {
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\n") where digits > 0: return try endNumber()
            case UInt8(ascii: "\n") where !isNegative && emptyLines < Self.mostEmptyLines: emptyLines += 1
            case UInt8(ascii: "-") where digits == 0 && !isNegative: isNegative = true
            case UInt8(ascii: "0")...UInt8(ascii: "9") where digits < Self.mostDigits:
                digits += 1
                magnitude = magnitude * 10 + Int(byte - UInt8(ascii: "0"))
            default: throw .noNumber
            }
        }
    }

    private mutating func endNumber() throws(ProtocolBreach) {
        let number = isNegative ? -magnitude : magnitude
        guard number >= -Self.mostErrno, number <= Int32.max else { throw .noNumber }
        part = .end
        if payload.isEmpty || number < 0 { code = number }
        guard number > 0 else { return }
        switch shape {
        case .code: return
        case .text(let limit):
            guard number <= limit else { throw .tooMuch(announced: number, room: limit) }
            part = .text(left: number + 1)
        case .samples(let limit, let words):
            let room = limit - payload.count
            guard number <= room else { throw .tooMuch(announced: number, room: room) }
            part = payload.isEmpty ? .mask(left: words * 8 + 1) : .block(left: number)
        }
    }

    private mutating func checkMask() throws(ProtocolBreach) {
        guard mask.popLast() == UInt8(ascii: "\n"), mask.allSatisfy({ $0.hexadecimalValue != nil }) else { throw .mask }
    }
}

extension UInt8 {
    /// What a hexadecimal digit stands for.
    var hexadecimalValue: UInt32? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}

/// How an iiod broke its protocol.
enum ProtocolBreach: Error, Equatable, CustomStringConvertible {
    /// No number where one was due, or a number that no reply can have.
    case noNumber
    /// More bytes were announced than there is room for.
    case tooMuch(announced: Int, room: Int)
    /// A text did not end where it was announced to end.
    case unended
    /// The mask of the channels in a buffer is malformed, or lacks channels that were asked for.
    case mask
    /// No complete sample, and at once: an iiod answers when there are some, or when its time is up.
    case nothing
    /// It sent more than was asked for.
    case unasked
    /// Its description of its devices is invalid.
    case description(MarkupError)

    var description: String {
        switch self {
        case .noNumber: "something else where a number was due"
        case .tooMuch(let announced, let room): "\(announced) bytes announced where \(room) had room"
        case .unended: "a text that goes on after its end"
        case .mask: "a mask of other channels than were asked for"
        case .nothing: "no sample where some were due"
        case .unasked: "an answer to what was not asked"
        case .description(let error): "a description of its devices with \(error)"
        }
    }
}
