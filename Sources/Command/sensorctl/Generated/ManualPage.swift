internal import Programs

/// The generated parts of the manual page of sensorctl, in mdoc(7).
enum ManualPage {
    static let parts = GeneratedParts(
        "docs/man/sensorctl.1", comment: ".\\\"",
        parts: [
            ("synopsis", Command.listed.flatMap(synopsis)),
            ("commands", commands),
            ("options", options),
            ("formats", ManualText.tagged(HelpText.formats.map { (".It Cm \($0.name)", $0.text) })),
            (
                "exit status",
                ManualText.tagged(ExitStatus.meanings.map { (".It \($0.status.rawValue)", $0.meaning) }) + [".Pp"]
                    + HelpText.interruption.flatMap(ManualText.sentences)
            ),
            ("examples", Command.listed.flatMap(\.examples).map { ".Dl " + ManualText.escaped($0.line) }),
        ])

    private static func synopsis(of command: Command) -> [String] {
        command.synopsis.flatMap { [".Nm", ".Cm \(command.name)"] + ($0.isEmpty ? [] : ["." + macros($0)]) }
    }

    private static var commands: [String] {
        let others = list(of: .everybody)
        return others + [".Pp", "For the broker's administrator, root:"] + list(of: .administrator)
    }

    private static func list(of audience: Command.Audience) -> [String] {
        ManualText.tagged(
            Command.listed.filter { $0.audience == audience }.map { command in
                let forms = command.synopsis.map {
                    $0.split(separator: " [OPTION]...")[...].first.map(String.init) ?? ""
                }
                let form = (forms.first { $0 != "[OPTION]..." }).map { macros($0) } ?? ""
                let text = ([command.summary + "."] + command.description).joined(separator: " ")
                return (".It Cm \(command.name)" + (form.isEmpty ? "" : " ") + form, text)
            })
    }

    /// Options, grouped by the commands that have them.
    private static var options: [String] {
        var groups: [(commands: [String], options: [Option])] = []
        for (option, commands) in Command.options {
            if let index = groups.firstIndex(where: { $0.commands == commands }) {
                groups[index].options.append(option)
            } else {
                groups.append((commands, [option]))
            }
        }
        let ofCommands = groups.flatMap { [".Pp"] + of($0.commands) + ManualText.tagged($0.options.map(entry)) }
        let times = HelpText.times.map(ManualText.sentences).joined(separator: [".Pp"])
        return ManualText.tagged(Option.common.map(entry)) + ofCommands + [".Ss Options of a resource"]
            + ManualText.sentences(RequestOption.explanation) + [".Ss Times and intervals"] + times
    }

    private static func of(_ commands: [String]) -> [String] {
        let last = commands.count - 1
        return ["Of"]
            + commands.enumerated().flatMap { index, name in
                (index > 0 && index == last ? ["and"] : [])
                    + [".Cm \(name)" + (index == last ? " :" : index == last - 1 ? "" : " ,")]
            }
    }

    private static func entry(_ option: Option) -> (String, String) {
        let letter = option.letter.map { "Fl \($0) , " } ?? ""
        let value = option.value.map { value in
            value.choices.map { " Cm " + $0.joined(separator: " | ") } ?? " Ar \(value.name)"
        }
        let text = option.summary + "." + (option.details.isEmpty ? "" : " " + option.details)
        return (".It \(letter)Fl -\(option.name)\(value ?? "")", text)
    }

    /// The macros for a synopsis.
    private static func macros(_ form: String) -> String {
        var words: [String] = []
        for (index, word) in form.split(separator: " ").enumerated() {
            for (position, token) in tokens(String(word)).enumerated() {
                let macro =
                    switch token {
                    case "[": "Oo"
                    case "]": "Oc"
                    // mdoc takes a bar for punctuation and would separate it.
                    case "|": position > 0 ? "No \\&|" : "|"
                    case "...", "@": "No " + token
                    // Alone it would be punctuation.
                    case ",": "No \\&,"
                    default:
                        token.hasPrefix("--")
                            ? "Fl " + token.dropFirst() : (token.first?.isUppercase == true ? "Ar " : "Cm ") + token
                    }
                // An opening bracket attaches to the next word, a closing one to the last.
                let follows = position > 0 && words.last != "Oo" && token != "]"
                if index > 0 || position > 0, follows { words.append("Ns") }
                words.append(macro)
            }
        }
        return words.joined(separator: " ")
    }

    /// Splits `[@INTERVAL]...` into `[`, `@`, `INTERVAL`, `]`, `...`.
    private static func tokens(_ word: String) -> [String] {
        var tokens: [String] = []
        var rest = word[...]
        while let first = rest.first {
            if rest.hasPrefix("...") {
                tokens.append("...")
                rest = rest.dropFirst(3)
            } else if "[]|@,".contains(first) {
                tokens.append(String(first))
                rest = rest.dropFirst()
            } else {
                let text = rest.prefix { !"[]|@,.".contains($0) }
                tokens.append(String(text))
                rest = rest.dropFirst(text.count)
            }
        }
        return tokens
    }
}
