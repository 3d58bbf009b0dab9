internal import Readings

/// Reads the line of one sample as the recorder writes it, several times as fast as `JSONReader`.
///
///     {"resource":"accelerometer","sequence":40,"timestampNanoseconds":1,"values":{"columns":{"x":[0.1],"y":[0.2],"z":[9.8]}}}
///
/// Such lines are nearly all of a long recording. Whatever differs in a single byte is left to `JSONReader`.
struct PlainLine {
    /// The resource of the latest line; the next one is usually of the same.
    private var latest = 0

    /// The sample of a line, of one of the resources; nil if the line has another form.
    mutating func event(
        in bytes: [UInt8], _ range: Range<Int>, _ resources: [RecordingStream.Resource]
    ) -> RecordingStream.Event? {
        guard !resources.isEmpty else { return nil }
        var scanner = Scanner(bytes: bytes, position: range.lowerBound, end: range.upperBound)
        guard scanner.skip(#"{"resource":""#) else { return nil }
        if !(latest < resources.count && scanner.skipName(resources[latest].name.description)) {
            guard
                let found = resources.indices.first(where: { scanner.skipName(resources[$0].name.description) })
            else { return nil }
            latest = found
        }
        let kind = resources[latest].kind
        guard case .values = kind.row.form, !resources[latest].isAnother,
            scanner.skip(#","sequence":"#), let sequence = scanner.integer(),
            scanner.skip(#","timestampNanoseconds":"#), let stamp = scanner.integer(),
            scanner.skip(#","values":{"columns":{"#)
        else { return nil }
        var vector = SIMD4<Double>.zero
        for (channel, name) in kind.row.channels.enumerated() {
            guard channel == 0 || scanner.skip(","), scanner.skip("\""), scanner.skip(name), scanner.skip("\":["),
                let value = scanner.number(), scanner.skip("]")
            else { return nil }
            vector[channel] = value
        }
        guard scanner.skip("}}}"), scanner.isAtEnd else { return nil }
        return .sample(resource: latest, sequence: sequence, atNanoseconds: stamp, .values(Values(kind, vector)))
    }
}

/// A place in a line.
private struct Scanner {
    let bytes: [UInt8]
    var position: Int
    let end: Int

    var isAtEnd: Bool { position == end }

    /// Skips a text if it comes next.
    mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard end - position >= count else { return false }
        let start = position
        let isSame = text.withUTF8Buffer { buffer in
            buffer.indices.allSatisfy { unsafe buffer[$0] == bytes[start + $0] }
        }
        if isSame { position += count }
        return isSame
    }

    /// Skips a name and its closing quote if they come next.
    mutating func skipName(_ name: String) -> Bool {
        var index = position
        for byte in name.utf8 {
            guard index < end, bytes[index] == byte else { return false }
            index += 1
        }
        guard index < end, bytes[index] == UInt8(ascii: "\"") else { return false }
        position = index + 1
        return true
    }

    /// An integer from 0; nil if it has too many digits or there is none.
    mutating func integer() -> Int64? {
        let start = position
        var value: Int64 = 0
        while position < end, isDigit(position) {
            guard position - start < 18 else { return nil }
            value = value * 10 + Int64(bytes[position] - UInt8(ascii: "0"))
            position += 1
        }
        guard position > start, position == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        return value
    }

    /// A finite number in the form of JSON.
    mutating func number() -> Double? {
        let start = position
        if position < end, bytes[position] == UInt8(ascii: "-") { position += 1 }
        let whole = position
        guard skipDigits(), position == whole + 1 || bytes[whole] != UInt8(ascii: "0") else { return nil }
        if position < end, bytes[position] == UInt8(ascii: ".") {
            position += 1
            guard skipDigits() else { return nil }
        }
        if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < end, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
                position += 1
            }
            guard skipDigits() else { return nil }
        }
        let count = position - start
        let text = unsafe String(unsafeUninitializedCapacity: count) { buffer in
            for index in 0..<count { unsafe buffer[index] = bytes[start + index] }
            return count
        }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while position < end, isDigit(position) { position += 1 }
        return position > start
    }

    private func isDigit(_ index: Int) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index])
    }
}
