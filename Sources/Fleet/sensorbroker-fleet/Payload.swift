internal import Compression
internal import Fleet

/// The numbered messages of a payload: one, or the lines of a frame of zstd.
enum Payload {
    /// As much as one reply of a broker can have.
    static let longestLine = 16 << 20
    /// A frame of a bridge unpacks to 0.1 MB; one that unpacks to more than this is meant to do harm.
    private static let mostBytes = 64 << 20

    /// Takes its messages one by one; false if there is something that cannot be read, or is too long.
    static func read(_ payload: [UInt8], _ take: (FleetMessage) -> Void) -> Bool {
        guard ZstdDecompressor.isCompressed(payload) else {
            guard payload.count < longestLine, let message = FleetMessage(payload) else { return false }
            take(message)
            return true
        }
        return (try? readFrame(payload, take)) ?? false
    }

    private static func readFrame(_ frame: [UInt8], _ take: (FleetMessage) -> Void) throws(ZstdError) -> Bool {
        var decompressor = try ZstdDecompressor()
        decompressor.add(frame)
        var line: [UInt8] = []
        var total = 0
        var isWhole = true
        while true {
            let piece = try decompressor.take()
            if piece.isEmpty { break }
            total += piece.count
            for part in piece.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
                if part.offset > 0 {
                    isWhole = finish(&line, take) && isWhole
                }
                line += part.element
            }
            guard total <= mostBytes, line.count < longestLine else { return false }
        }
        return finish(&line, take) && isWhole && total > 0
    }

    private static func finish(_ line: inout [UInt8], _ take: (FleetMessage) -> Void) -> Bool {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return true }
        guard let message = FleetMessage(line) else { return false }
        take(message)
        return true
    }
}
