extension String {
    /// The text without control characters: what a device calls itself must not steer somebody's terminal.
    var printable: String { replacingControls { _ in "?" } }

    /// The same of a text that may have several lines.
    var printableLines: String { replacingControls { $0 == "\n" ? "\n" : "?" } }

    /// The text with something else for each control character.
    func replacingControls(_ replacement: (Unicode.Scalar) -> String) -> String {
        guard unicodeScalars.contains(where: { $0.isControl }) else { return self }
        return unicodeScalars.map { $0.isControl ? replacement($0) : String($0) }.joined()
    }

    /// The text with spaces after it, up to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The text with spaces before it, up to a width.
    func rightAligned(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}

extension Unicode.Scalar {
    /// What turns the direction of the text around it steers a terminal too.
    fileprivate var isControl: Bool { properties.generalCategory == .control || properties.isBidiControl }
}
