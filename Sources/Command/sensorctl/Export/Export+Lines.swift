internal import BrokerClient
internal import Programs

/// Copies the lines of a recording, as they are.
extension Export {
    func writeLines(to output: inout CommandOutput) throws(Failure) -> ExportSummary {
        var lines = 0
        try input.each { (piece, percent) throws(Failure) in
            if lines == 0 {
                let first = piece.prefix { $0 != UInt8(ascii: "\n") }
                guard RecordingFormat.isFirstLine(first, isWhole: true) else {
                    throw Failure(.data, "\(input.presentName): line 1: this is no recording")
                }
            }
            lines += piece.count { $0 == UInt8(ascii: "\n") }
            try output.write(piece)
            progress.show(percent)
        }
        guard lines > 0 else { throw Failure(.data, "\(input.name): there is nothing in it") }
        let files = input.fileCount == 1 ? "" : " of \(input.fileCount) files"
        return ExportSummary("\(lines) lines\(files)")
    }
}
