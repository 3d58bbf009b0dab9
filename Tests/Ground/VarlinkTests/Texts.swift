/// The bytes of a text in UTF-8.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The text of bytes in UTF-8, NUL bytes shown as `␀`.
func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).split(separator: "\0", omittingEmptySubsequences: false)
        .joined(separator: "␀")
}
