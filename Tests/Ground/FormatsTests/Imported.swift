import Testing

@testable import Formats

/// The whole import of a file.
struct Imported {
    var samples: [ImportedSample] = []
    var notes = ConversionNotes()

    /// UTC of the first sample.
    var utcMicroseconds: Int64? { samples.first?.utcMicroseconds }

    /// The times since the first sample.
    var offsets: [Int64] { samples.map { $0.offsetNanoseconds - samples[0].offsetNanoseconds } }

    /// Reads bytes in some way; the result is the same, whatever the pieces in which they come.
    init(
        _ bytes: [UInt8], _ read: (FileContent, @escaping ImportedSample.Taker) throws(FormatError) -> ConversionNotes
    ) throws {
        for size in [1 << 16, 1, 7] {
            var samples: [ImportedSample] = []
            let notes = try read(FileContent(bytes, by: size)) { (sample, _) throws(FormatError) in
                samples.append(sample)
            }
            if size == 1 << 16 { (self.samples, self.notes) = (samples, notes) }
            #expect(samples == self.samples && notes == self.notes, "in pieces of \(size)")
        }
    }
}

extension NMEAReader {
    static func samples(_ bytes: [UInt8]) throws -> Imported {
        try Imported(bytes) { (content, take) throws(FormatError) in try read(content, take) }
    }
}

extension TableImport {
    static func samples(_ bytes: [UInt8], naming names: String?, intervalNanoseconds: Int64?) throws -> Imported {
        try Imported(bytes) { (content, take) throws(FormatError) in
            try read(content, naming: names, intervalNanoseconds: intervalNanoseconds, take)
        }
    }
}
