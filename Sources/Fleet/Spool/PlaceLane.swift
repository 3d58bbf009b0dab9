/// The lane of a place, which is in its highest bits: messages of one priority, or of one stream, follow each other in it.
public enum PlaceLane {
    private static let shift: UInt64 = 56

    /// Which lane a place is in.
    public static func index(of place: UInt64) -> Int { Int(place >> shift) }

    static func place(_ inner: UInt64, in lane: Int) -> UInt64 {
        assert(inner >> shift == 0 && lane >> (64 - shift) == 0, "a place and its lane are told apart")
        return UInt64(lane) << shift | inner
    }

    static func split(_ place: UInt64) -> (lane: Int, inner: UInt64) { (index(of: place), place & (1 << shift - 1)) }
}
