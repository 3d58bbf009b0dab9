/// Cuts bytes into lines as they arrive; an endless line is passed over.
struct LineSplitter {
    /// A line that is not empty.
    struct Line: Equatable {
        /// Counted from 1.
        let number: Int
        /// Without its end; nil if it is too long.
        let bytes: [UInt8]?
    }

    /// As long as a second of a fast sensor in JSON, several times.
    static let longest = 1 << 20

    private var rest: [UInt8] = []
    private var number = 1
    private var isTooLong = false
    /// A line feed right after a carriage return belongs to the same end.
    private var follows = false

    /// The lines that have ended in these bytes.
    mutating func take(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var begin = 0
        for index in bytes.indices where bytes[index] == 10 || bytes[index] == 13 {
            let byte = bytes[index]
            let isRest = byte == 10 && follows && index == begin
            keep(bytes[begin..<index])
            begin = index + 1
            follows = byte == 13
            guard !isRest else { continue }
            if let line = finish() { lines.append(line) }
            number += 1
        }
        if begin < bytes.count {
            keep(bytes[begin...])
            follows = false
        }
        return lines
    }

    /// The line that has begun, although its end has not come; nil if it is empty.
    mutating func finish() -> Line? {
        defer {
            rest = []
            isTooLong = false
        }
        if isTooLong { return Line(number: number, bytes: nil) }
        return rest.isEmpty ? nil : Line(number: number, bytes: rest)
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        guard !isTooLong else { return }
        isTooLong = rest.count + bytes.count > Self.longest
        rest = isTooLong ? [] : rest + bytes
    }
}
