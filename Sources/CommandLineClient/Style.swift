/// Colours, where they are wanted.
struct Style {
    /// Whether anything is coloured.
    let isOn: Bool

    /// What is there to be looked up rather than read.
    func faint(_ text: String) -> String { wrapped(text, "2") }

    /// A heading or a name.
    func strong(_ text: String) -> String { wrapped(text, "1") }

    /// What somebody should notice.
    func warning(_ text: String) -> String { wrapped(text, "33") }

    private func wrapped(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
