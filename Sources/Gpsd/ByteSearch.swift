internal import CGps

/// Searches bytes for a short text. `memmem(3)`
///
/// Every line is searched before libgps sees it, so the search must be fast.
@safe enum ByteSearch {
    /// The first index of a text at or after an offset; nil if the text does not occur.
    static func index(of text: StaticString, in bytes: borrowing Span<UInt8>, from start: Int = 0) -> Int? {
        guard start < bytes.count else { return nil }
        let offset = unsafe bytes.extracting(start...).withUnsafeBufferPointer { rest in
            unsafe cgps_find(rest.baseAddress, rest.count, text.utf8Start, text.utf8CodeUnitCount)
        }
        return offset < 0 ? nil : start + offset
    }
}
