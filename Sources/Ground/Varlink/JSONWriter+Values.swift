internal import Printable

extension JSONWriter {
    /// Writes a null.
    public mutating func null() { word("null") }

    /// Writes a boolean.
    public mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    /// Writes an integer.
    public mutating func integer(_ value: Int) { integer(Int64(value)) }

    /// Writes an integer.
    public mutating func integer(_ value: Int64) {
        separate()
        bytes.append(addingCapacity: IntegerText.mostBytes + IntegerText.slackBytes) {
            IntegerText.write(value, to: &$0)
        }
    }

    /// Writes an integer; not every reader accepts one beyond 2⁶³-1.
    public mutating func integer(_ value: UInt64) {
        separate()
        bytes.append(addingCapacity: IntegerText.mostBytes + IntegerText.slackBytes) {
            IntegerText.write(magnitude: value, to: &$0)
        }
    }

    /// Writes an array of integers, as `integer` writes each.
    ///
    /// Room is made once for all of them: thousands come per second.
    public mutating func integers(_ values: [Int64]) {
        beginArray()
        bytes.append(addingCapacity: values.count * (IntegerText.mostBytes + 1) + IntegerText.slackBytes) { text in
            for place in values.indices {
                if place > 0 { text.append(UInt8(ascii: ",")) }
                IntegerText.write(values[place], to: &text)
            }
        }
        endArray()
    }

    /// Writes a number, always with a decimal point or exponent: some readers crash on arrays that mix integers and
    /// floats.
    ///
    /// The text is the shortest that reads back as the same value. JSON has only finite numbers, so the caller must
    /// pass a finite one. Any other is a programming error: a debug build stops, a release build writes `null`.
    public mutating func number(_ value: Double) {
        separate()
        bytes.append(addingCapacity: DecimalText.mostBytes + DecimalText.slackBytes) {
            DecimalText.write(value, to: &$0)
        }
    }

    /// Writes an array of numbers, as `number` writes each.
    ///
    /// Room is made once for all of them: thousands come per second.
    public mutating func numbers(_ values: [Double]) { numbers(values, from: 0, every: 1, count: values.count) }

    /// Writes an array of so many numbers, the first of which is at a place, and each next one a step further.
    public mutating func numbers(_ values: [Double], from first: Int, every step: Int, count: Int) {
        numbers(count) { values[first + $0 * step] }
    }

    /// Writes an array of so many numbers, each of which a function returns for its place.
    public mutating func numbers(count: Int, _ number: (Int) -> Double) { numbers(count, number) }

    // In each of its callers, so that the function is not called for each number.
    @inline(__always)
    private mutating func numbers(_ count: Int, _ number: (Int) -> Double) {
        beginArray()
        bytes.append(addingCapacity: count * (DecimalText.mostBytes + 1) + DecimalText.slackBytes) { text in
            for place in 0..<count {
                if place > 0 { text.append(UInt8(ascii: ",")) }
                DecimalText.write(number(place), to: &text)
            }
        }
        endArray()
    }

    /// Writes a string, with escapes where necessary.
    ///
    /// Control characters that JSON allows are escaped too: a line of JSON may be shown by a terminal.
    public mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        // Nearly all strings go as they are: names of resources, kinds and states.
        let isWritten = unsafe text.utf8.withContiguousStorageIfAvailable { text in
            guard unsafe text.allSatisfy(Self.needsNoEscape) else { return false }
            unsafe bytes.append(contentsOf: text)
            return true
        }
        if isWritten != true {
            if text.utf8.allSatisfy({ $0 < 0x7F }) { ascii(text.utf8) } else { scalars(text) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsNoEscape(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func ascii(_ text: some Sequence<UInt8>) {
        for byte in text {
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                bytes.append(byte)
            } else {
                escape(byte)
            }
        }
    }

    private mutating func scalars(_ text: String) {
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || !scalar.isControl {
                ascii(String(scalar).utf8)
            } else {
                bytes.append(contentsOf: scalar.escape.utf8)
            }
        }
    }

    /// Writes any value.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            beginObject()
            members(of: object)
            endObject()
        }
    }

    /// Writes the members of an object, without its braces.
    public mutating func members(of object: JSONObject) {
        for member in object.members {
            key(escaping: member.key)
            value(member.value)
        }
    }

    private mutating func word(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(Self.hexadecimalDigit(byte >> 4))
            bytes.append(Self.hexadecimalDigit(byte & 0xF))
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
