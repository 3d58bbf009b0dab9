extension JSONReader {
    /// Reads the number whose first character is at the position.
    mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let negative = accept { $0 == UInt8(ascii: "-") }
        let integer = try digits()
        guard integer.count == 1 || bytes[integer.lowerBound] != UInt8(ascii: "0") else {
            throw JSONError(.invalidNumber, at: start)
        }
        var isInteger = true
        if accept({ $0 == UInt8(ascii: ".") }) {
            isInteger = false
            _ = try digits()
        }
        if accept({ $0 | 0x20 == UInt8(ascii: "e") }) {
            isInteger = false
            _ = accept { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            _ = try digits()
        }
        // An integer beyond 64 bits is still a valid number; a caller that needs an integer reports the field's name.
        if isInteger, let value = self.integer(integer, negative: negative) { return .integer(value) }
        return .number(try double(start..<position))
    }

    private mutating func accept(_ matches: (UInt8) -> Bool) -> Bool {
        guard position < bytes.count, matches(bytes[position]) else { return false }
        position += 1
        return true
    }

    /// Passes one digit or more.
    private mutating func digits() throws(JSONError) -> Range<Int> {
        let start = position
        while accept({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {}
        guard position > start else {
            throw JSONError(position < bytes.count ? .invalidNumber : .unexpectedEnd, at: position)
        }
        return start..<position
    }

    /// Accumulates negative values, because their range is larger by one; nil if 64 bits cannot hold the number.
    private func integer(_ digits: Range<Int>, negative: Bool) -> Int64? {
        var value: Int64 = 0
        for index in digits {
            let (tenfold, tooLong) = value.multipliedReportingOverflow(by: 10)
            let (sum, tooLarge) = tenfold.subtractingReportingOverflow(Int64(bytes[index] - UInt8(ascii: "0")))
            guard !tooLong, !tooLarge else { return nil }
            value = sum
        }
        if negative { return value }
        return value == .min ? nil : -value
    }

    private func double(_ range: Range<Int>) throws(JSONError) -> Double {
        guard let value = Double(String(decoding: bytes[range], as: UTF8.self)), value.isFinite else {
            throw JSONError(.numberOutOfRange, at: range.lowerBound)
        }
        return value
    }
}
