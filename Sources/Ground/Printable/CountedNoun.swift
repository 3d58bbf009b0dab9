extension BinaryInteger {
    /// This many of something whose plural ends with an s: `1 message`, `2 messages`.
    public func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}
