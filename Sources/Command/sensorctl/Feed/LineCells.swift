/// The cells of a line: whatever separates them shows in the line itself.
enum LineCells {
    /// Semicolons and tabs separate before commas, which may be in numbers, and these before blanks.
    static func cells(of line: String) -> [String] {
        for separator in ";\t," where line.contains(separator) {
            return line.split(separator: separator, omittingEmptySubsequences: false).map { plain($0) }
        }
        return line.split { $0 == " " || $0 == "\r" }.map { plain($0) }
    }

    /// Names and values, if each cell has both, as Arduino's plotter takes them: `x:0.1,y:0.2`; nil if not.
    static func pairs(_ cells: [String]) -> (names: [String], values: [String])? {
        let pairs = cells.map { $0.split(separator: ":", maxSplits: 1).map { plain($0) } }
        guard !pairs.isEmpty, pairs.allSatisfy({ $0.count == 2 && $0[0].first?.isLetter == true }) else { return nil }
        return (pairs.map { $0[0] }, pairs.map { $0[1] })
    }

    /// Without blanks and quotes around it.
    private static func plain(_ cell: Substring) -> String {
        let text = cell.trimmed
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return String(text) }
        return String(text.dropFirst().dropLast())
    }
}

extension Substring {
    /// Without blanks around it.
    var trimmed: Substring {
        let front = drop(while: \.isWhitespace)
        return front[..<(front.lastIndex { !$0.isWhitespace }.map { front.index(after: $0) } ?? front.startIndex)]
    }
}
