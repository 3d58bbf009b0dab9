internal import Varlink

/// Names of resources with what was done to them, as each format has it.
enum NamesFormat {
    static func print(
        _ names: [String], _ deed: String, _ answer: Parameters, _ format: OutputFormat, _ terminal: Terminal
    ) throws(Failure) {
        switch format {
        case .text: try terminal.print(names.map { "\($0.printable): \(deed)" })
        case .json: try terminal.print([JSONFormat.line(answer.object)])
        case .csv: try terminal.print([CSVFormat.row(["resource"])] + names.map { CSVFormat.row([$0]) })
        }
    }
}
