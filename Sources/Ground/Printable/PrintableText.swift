/// Text from outside, made safe for a terminal, a log and a page.
///
/// The name of a device, of a file or of a client may contain anything. A control character could clear the screen or forge a
/// line of the log (also those above U+007F, such as U+009B, which terminals take for ESC [), and a character without a shape of
/// its own could hide or turn what stands beside it (U+202E shows `gpj.exe` as `exe.jpg`). Every such character is written as
/// JSON writes it, `\u202e`: it is seen, and in JSON the text remains the same. This is the only place that decides which
/// characters these are.
extension Unicode.Scalar {
    /// Whether it controls a terminal or the direction of text, ends a line, or cannot be seen.
    ///
    /// The two joiners cannot be seen either, but names in several scripts, and emoji, need them.
    public var isControl: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return value != 0x200C && value != 0x200D
        default: return false
        }
    }

    /// The character as JSON escapes it: `\u202e`, or a pair of surrogates.
    public var escape: String {
        UTF16.encode(self).map { units in
            units.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        } ?? ""
    }
}

extension StringProtocol {
    /// The text with its control characters escaped.
    public var printable: String { escapingControls(but: []) }

    /// The same for a text of several lines.
    public var printableLines: String { escapingControls(but: ["\n"]) }

    /// The beginning of a text, with its control characters escaped.
    public func printable(atMost count: Int) -> String {
        let start = unicodeScalars.prefix(count)
        let text = String(String.UnicodeScalarView(start)).printable
        return start.endIndex < unicodeScalars.endIndex ? text + "…" : text
    }

    /// Whether a text may have control characters; almost none has, and few have bytes of which they could be made.
    private var mayHaveControls: Bool { utf8.contains { $0 < 0x20 || $0 >= 0x7F } }

    private func escapingControls(but kept: Set<Unicode.Scalar>) -> String {
        guard mayHaveControls, unicodeScalars.contains(where: { $0.isControl && !kept.contains($0) }) else {
            return String(self)
        }
        return unicodeScalars.map { $0.isControl && !kept.contains($0) ? $0.escape : String($0) }.joined()
    }
}
