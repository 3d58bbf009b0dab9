/// The stable name of a resource: `location`, `accelerometer`, `accelerometer:1`.
public struct ResourceName: Hashable, Sendable, CustomStringConvertible {
    /// The name as clients write it.
    public let description: String

    /// Creates a name if the text is valid: a word of a lower-case letter and lower-case letters or digits, optionally
    /// followed by a colon and up to 64 letters, digits or `._-`.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = parts.first, (1...64).contains(word.count), word.first?.isLowerCaseLetter == true,
            word.allSatisfy({ $0.isLowerCaseLetter || $0.isDigit })
        else { return nil }
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].count <= 64, parts[1].allSatisfy(\.mayStandInSuffix) else { return nil }
        }
        description = text
    }

    /// The word before the colon, which identifies the kind: `accelerometer`.
    public var word: Substring { description.prefix { $0 != ":" } }

    init(word: String) { description = word }
}

extension ResourceName: Codable {
    /// Decodes the name; an invalid one is an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let name = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not a resource's name")
        }
        self = name
    }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
