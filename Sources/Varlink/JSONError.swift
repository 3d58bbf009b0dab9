/// Why bytes are not the JSON that is accepted here, and where.
public struct JSONError: Error, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: String, Sendable {
        /// The text ends inside a value.
        case unexpectedEnd = "the text ends inside a value"
        /// A byte that cannot stand there.
        case unexpectedByte = "a byte that cannot stand here"
        /// More than whitespace follows the value.
        case trailingBytes = "something follows the value"
        /// Arrays and objects nest too deeply.
        case tooDeep = "nested too deeply"
        /// Too many keys.
        case tooManyKeys = "too many keys"
        /// A key stands twice in one object.
        case duplicateKey = "a key stands twice"
        /// An unescaped control character in a string.
        case controlCharacter = "an unescaped control character in a string"
        /// A backslash before something that cannot be escaped.
        case invalidEscape = "an invalid escape"
        /// Half a surrogate pair.
        case loneSurrogate = "half a surrogate pair"
        /// A string that is not UTF-8.
        case invalidUTF8 = "not UTF-8"
        /// A number that is not written as JSON wants it.
        case invalidNumber = "an invalid number"
        /// A number that a double cannot hold.
        case numberOutOfRange = "a number beyond a double's range"
    }

    /// What is wrong.
    public let reason: Reason
    /// Where: bytes from the start of the text.
    public let offset: Int

    /// A reason at an offset in bytes.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason and the offset, for people.
    public var description: String { "\(reason.rawValue) at byte \(offset)" }
}
