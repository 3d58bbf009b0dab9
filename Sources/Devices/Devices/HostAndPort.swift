internal import Readings

/// What stands in `HOST`, `HOST:PORT`, `[HOST]`, `[HOST]:PORT` or a bare IPv6 address.
public struct HostAndPort {
    /// The host without its brackets; may be empty.
    public let host: Substring
    /// The port as it is written; nil: there is none.
    public let portText: Substring?

    /// Takes a text apart; nil if there is nothing in its brackets, no end of them, or something else behind them.
    public init?(_ text: Substring) {
        guard text.hasPrefix("[") else {
            let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            (host, portText) = parts.count == 2 ? (parts[0], parts[1]) : (text, nil)
            return
        }
        guard let end = text.firstIndex(of: "]") else { return nil }
        host = text[..<end].dropFirst()
        let rest = text[end...].dropFirst()
        guard !host.isEmpty, rest.isEmpty || rest.hasPrefix(":") else { return nil }
        portText = rest.isEmpty ? nil : rest.dropFirst()
    }

    /// Whether the host has only characters of a name or of a numeric address.
    public var isPlain: Bool { host.utf8.allSatisfy { $0.isLetter || $0.isDigit || ".-_:%".utf8.contains($0) } }

    /// The port, or the usual one if none is written; nil if it is not a number from 1 to 65535.
    public func port(usual: UInt16) -> UInt16? {
        guard let portText else { return usual }
        return portText.utf8.allSatisfy(\.isDigit) ? UInt16(portText).flatMap { $0 > 0 ? $0 : nil } : nil
    }
}
