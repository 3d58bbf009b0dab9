/// The words of a command line, sorted into options and others.
///
/// `--name value` and `--name=value` are the same; after `--` there are no options.
struct Words {
    private(set) var options: [Option: String] = [:]
    private(set) var others: [String] = []

    init(_ words: [String]) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                others += rest
                return
            }
            if word == "-h" {
                options[.help] = ""
            } else if word.hasPrefix("-"), word.count > 1 {
                try addOption(word, &rest)
            } else {
                others.append(word)
            }
        }
    }

    private mutating func addOption(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard let option = Option.allCases.first(where: { $0.text == parts[0] }) else {
            throw UsageError("there is no option \(parts[0])")
        }
        guard options[option] == nil else { throw UsageError("\(option.text) is given twice") }
        options[option] = try Self.value(of: option, parts, &rest)
    }

    private static func value(
        of option: Option, _ parts: [String], _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard option.takesValue else {
            guard parts.count == 1 else { throw UsageError("\(option.text) takes no value") }
            return ""
        }
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
            throw UsageError("\(option.text) needs a value")
        }
        return value
    }
}
