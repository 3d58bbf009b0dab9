internal import Delivery
internal import Platform

/// What stands where in the ledger, a word each.
///
/// First the current round, and the note of the last message; then, for each resource, how far its clients have been served,
/// and its pace; then, for each place of a connection, its marks and the last round in which it got a message.
public enum LedgerPlaces {
    private static let connections = 8_192
    private static let wordsPerResource = 4
    private static let firstResource = 1 + Ledger.Note.words
    private static let firstConnection = firstResource + wordsPerResource * Limits.resources
    /// How many words there are; a word beyond them is never written.
    public static let count = firstConnection + 2 * connections

    /// The current or last round, with its resource; 0 while the words of a round are being written.
    static let round = 0
    /// The note of the last message.
    static let note = 1

    /// The words of a resource.
    enum OfResource: Int {
        /// All clients have received what was due up to this instant.
        case served = 0
        /// The same for the clients that were reached in the current round.
        case serving = 1
        /// The origin of the due times.
        case grid = 2
        /// The period of its device.
        case period = 3
    }

    static func resource(_ index: Int, _ word: OfResource) -> Int {
        index < Limits.resources ? firstResource + wordsPerResource * index + word.rawValue : count
    }

    /// The marks of a connection.
    static func marks(place: Int) -> Int { place < connections ? firstConnection + 2 * place : count }

    /// The last round in which a connection got a message.
    static func reached(place: Int) -> Int { place < connections ? firstConnection + 2 * place + 1 : count }

    /// The place of a connection: a later one may have it again.
    static func place(of token: ConnectionToken) -> Int { Int(token.place) }
}
