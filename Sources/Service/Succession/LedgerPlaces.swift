/// What stands where in the ledger, a word each.
///
/// First, for each resource, the time of the last sample of which all clients have had what was due to them; then, for each
/// place of a connection, its marks.
public enum LedgerPlaces {
    private static let connections = 8_192
    /// How many words there are.
    public static let count = Limits.resources + connections

    static func resource(_ index: Int) -> Int { index < Limits.resources ? index : count }

    static func connection(_ token: UInt64) -> Int { connection(place: place(of: token)) }

    static func connection(place: Int) -> Int { place < connections ? Limits.resources + place : count }

    /// The place of a connection: a later one may have it again.
    static func place(of token: UInt64) -> Int { Int(truncatingIfNeeded: token & 0xffff_ffff) }
}
