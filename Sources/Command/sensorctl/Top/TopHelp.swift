/// The page of keys.
enum TopHelp {
    private static let keys: [(keys: String, meaning: String)] = [
        ("↑ ↓ k j", "select a row; on a resource's page: the next resource"),
        ("PgUp PgDn", "select a row a page away"),
        ("Tab", "the other table"),
        ("Enter", "the page of the selected resource"),
        ("Esc", "back to the overview; there: no filter"),
        ("/", "show only rows with a text: a name, a process, a user, a state"),
        ("s < >", "sort by another column"),
        ("i", "sort the other way round"),
        ("p Space", "pause: the screen stands still, and goes on with what is new"),
        ("r", "release the selected resource's device for other programs"),
        ("a", "take it back"),
        ("d", "disconnect the selected client"),
        ("q", "quit"),
    ]

    private static let notes = [
        "RATE and JITTER are the device's own: by the numbers and times of its samples.",
        "REQUEST and GRANT are intervals; LAG is about how far a client is behind.",
        "This program asks for few readings, gathered, and is the faint last client.",
    ]

    static func draw(on canvas: inout Canvas, from top: Int) {
        for (line, key) in keys.enumerated() {
            canvas.put(" \(key.keys)", 0, top + line, Canvas.Look(colour: .cyan, isBold: true))
            canvas.put(key.meaning, 13, top + line)
        }
        for (line, note) in notes.enumerated() { canvas.put(" \(note)", 0, top + keys.count + 1 + line, .faint) }
    }
}
