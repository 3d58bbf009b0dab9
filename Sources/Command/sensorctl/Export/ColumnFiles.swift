internal import Formats
internal import Programs

/// Keeps the long columns of a text in temporary files, until their place comes.
struct ColumnFiles {
    private final class Column {
        var file: TemporaryFile
        init(of name: String) throws(Failure) { file = try TemporaryFile(toBuffer: name) }
    }

    private static let piece = 1 << 16

    private let name: String
    private var columns: [Int: Column] = [:]

    /// For a file that has a name in messages.
    init(of name: String) { self.name = name }

    /// Does with each part what it is for.
    mutating func carryOut(_ parts: [ColumnedText.Part], to output: inout CommandOutput) throws(Failure) {
        for part in parts {
            switch part {
            case .text(let bytes): try output.write(bytes)
            case .aside(let bytes, let number, let times): try keep(bytes, times, in: number)
            case .column(let number):
                try columns[number]?.file.each(of: name) { (piece) throws(Failure) in try output.write(piece) }
                columns[number]?.file.clear()
            case .forgotten(let number): columns[number]?.file.clear()
            }
        }
    }

    private mutating func keep(_ bytes: [UInt8], _ times: Int, in number: Int) throws(Failure) {
        if columns[number] == nil { columns[number] = try Column(of: name) }
        // Short ones go together in one write.
        let most = max(1, Self.piece / max(1, bytes.count))
        var rest = times
        while rest > 0 {
            let count = min(rest, most)
            let piece = count == 1 ? bytes : Array(repeatElement(bytes, count: count).joined())
            try columns[number]?.file.append(piece, of: name)
            rest -= count
        }
    }
}
