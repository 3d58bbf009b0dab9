extension String {
    /// The text without control characters: what a device calls itself must not steer somebody's terminal.
    var printable: String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
        return String(
            String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }

    /// The text with spaces after it, up to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The text with spaces before it, up to a width.
    func rightAligned(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
