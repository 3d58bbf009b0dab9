/// Why the reader rejects a text as JSON, and at which offset.
public struct JSONError: Error, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: String, Sendable {
        /// The text ends inside a value.
        case unexpectedEnd = "unexpected end of text"
        /// An unexpected byte.
        case unexpectedByte = "unexpected byte"
        /// More than whitespace follows the value.
        case trailingBytes = "unexpected text after the value"
        /// Arrays and objects nest too deeply.
        case tooDeep = "nested too deeply"
        /// Too many keys in an object.
        case tooManyKeys = "too many keys in an object"
        /// An object has the same key twice.
        case duplicateKey = "duplicate key"
        /// An unescaped control character in a string.
        case controlCharacter = "unescaped control character in a string"
        /// A backslash before a character that cannot be escaped.
        case invalidEscape = "invalid escape"
        /// An unpaired surrogate.
        case loneSurrogate = "unpaired surrogate"
        /// A string that is not UTF-8.
        case invalidUTF8 = "not UTF-8"
        /// A number that does not follow JSON's grammar.
        case invalidNumber = "invalid number"
        /// A number that a double cannot hold.
        case numberOutOfRange = "number out of range"
    }

    /// What is wrong.
    public let reason: Reason
    /// The offset in bytes from the start of the text.
    public let offset: Int

    /// A reason at an offset in bytes.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason and the offset, as text for people.
    public var description: String { "\(reason.rawValue) at byte \(offset)" }
}
