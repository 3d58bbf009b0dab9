internal import Configuration
internal import BrokerClient
internal import Printable
internal import Programs

/// A table with some of the columns of `csv`, in any order: as csv, or with blanks between them for people.
struct ChosenColumns: StreamFormat {
    private var table: CSVFormat
    private let names: [String]
    private let isCSV: Bool
    private let style: Style
    private var indices: [Int] = []

    init(_ table: CSVFormat, _ names: [String], isCSV: Bool, style: Style) {
        (self.table, self.names, self.isCSV, self.style) = (table, names, isCSV, style)
    }

    mutating func begin(_ resources: [Resource]) throws(Failure) -> [String] {
        _ = try table.begin(resources)
        let header = table.header
        indices = try names.map { name throws(Failure) in
            guard let index = header.firstIndex(of: name) else {
                // The unit at the end of a name is what one forgets.
                let longer = header.first { $0.hasPrefix(name) }.map { "did you mean '\($0)'?" }
                let advice = longer ?? Suggestion.advice(for: name, among: header)
                throw Failure(.usage, "there is no column '\(name.printable)': \(advice)")
            }
            return index
        }
        return [isCSV ? CSVFormat.row(names) : style.strong(aligned(names))]
    }

    func rows(of reading: Reading) -> [String] {
        table.cells(of: reading).map { cells in
            let chosen = indices.map { cells[$0] }
            return isCSV ? CSVFormat.row(chosen) : aligned(chosen)
        }
    }

    /// Each row comes alone, so the widths are those of numbers with all their digits.
    private func aligned(_ cells: [String]) -> String {
        zip(names, cells).map { name, cell in
            let width =
                switch name {
                case "time": 27
                case "resource", "orientation", "fix": max(name.count, 8)
                default: max(name.count, 20)
                }
            let text = cell.isEmpty ? "-" : cell.printable
            return name == "time" || name == "resource" ? text.padded(to: width) : text.rightAligned(to: width)
        }.joined(separator: "  ")
    }
}
