/// The lane of a serial, which is in its highest bits: messages of one priority, or of one stream, follow each other in it.
public enum SerialLane {
    private static let shift: UInt64 = 56

    /// Which lane a serial is in.
    public static func index(of serial: UInt64) -> Int { Int(serial >> shift) }

    static func serial(_ inner: UInt64, in lane: Int) -> UInt64 {
        assert(inner >> shift == 0 && lane >> (64 - shift) == 0, "a serial and its lane share no bits")
        return UInt64(lane) << shift | inner
    }

    static func split(_ serial: UInt64) -> (lane: Int, inner: UInt64) { (index(of: serial), serial & (1 << shift - 1)) }
}
