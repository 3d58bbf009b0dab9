public import Configuration

/// The words of a command line, sorted into options and others.
///
/// `--name value` and `--name=value` are the same. Options may stand anywhere; after `--` there are none.
public struct CommandWords {
    /// The options in the order in which they are given, with their values; an option without a value has an empty text.
    public private(set) var options: [(option: Option, value: String)] = []
    /// The words that are no options.
    public private(set) var others: [String] = []
    /// The words after an option that takes the rest of the line.
    public private(set) var rest: [String] = []

    private var unread: ArraySlice<String>

    /// Sorts the words after the program's name.
    ///
    /// `known` returns all options, and those that may be meant by a wrong name; it is given the first word that is no option, if there is
    /// one already.
    public init(
        _ words: [String], known: (_ first: String?) -> (options: [Option], near: [Option])
    ) throws(UsageError) {
        unread = words[...]
        while let word = unread.popFirst() {
            if word == "--" {
                others += unread
                return
            }
            if word.hasPrefix("-"), word.count > 1 { try add(word, known(others.first)) } else { others.append(word) }
        }
    }

    private mutating func add(
        _ word: String, _ known: (options: [Option], near: [Option])
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard let option = known.options.first(where: { $0.spellings.contains(parts[0]) }) else {
            let names = known.near.map(\.text)
            let meant = parts[0].count > 2 ? Suggestion.nearest(to: parts[0], among: names) : nil
            throw UsageError("unknown option \(parts[0])" + (meant.map { ": did you mean \($0)?" } ?? ""))
        }
        options.append((option, try value(of: option, parts.count == 2 ? parts[1] : nil)))
    }

    private mutating func value(of option: Option, _ attached: String?) throws(UsageError) -> String {
        guard let expected = option.value else {
            guard attached == nil else { throw UsageError("\(option.text) takes no value") }
            return ""
        }
        let word: String?
        switch expected.form {
        case .word: word = attached ?? unread.popFirst()
        case .optional:
            guard attached != nil else { return "" }
            word = attached
        case .rest:
            word = attached == nil ? unread.first : nil
            (rest, unread) = (Array(unread), [])
        }
        guard let word, !word.isEmpty else { throw UsageError("\(option.text) needs a value: \(option.usage)") }
        return word
    }
}

extension Suggestion {
    /// For an unknown word of a command line: the word that was probably meant, or else all of them.
    public static func advice(for word: String, among words: [String]) -> String {
        if let meant = nearest(to: word, among: words) { return "did you mean '\(meant)'?" }
        guard let last = words.last, words.count > 1 else { return "there is " + (words.first ?? "none") }
        return "there are " + words.dropLast().joined(separator: ", ") + " and " + last
    }
}
