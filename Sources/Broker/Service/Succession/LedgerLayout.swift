internal import Delivery
internal import Platform

/// The layout of the ledger, in words.
///
/// First the current round, and the note of the last message; then, for each resource, how far its clients have been
/// served, and its pace; then, for each slot of a connection, its marks and the last round in which it got a message;
/// then, for each slot of a lane, when its next reading is due.
public enum LedgerLayout {
    private static let connections = 8_192
    private static let wordsPerResource = 4
    private static let firstResource = 1 + Ledger.Note.words
    private static let firstConnection = firstResource + wordsPerResource * Limits.resources
    private static let firstLane = firstConnection + 2 * connections
    /// How many lanes, of all resources, have slots; for other lanes, what was due is unknown after a crash.
    static let lanes = 65_536
    /// How many words there are; a word beyond them is never written.
    public static let count = firstLane + 2 * lanes

    /// The current or last round, with its resource; 0 while the words of a round are being written.
    static let round = 0
    /// The note of the last message.
    static let note = 1

    enum OfResource: Int {
        /// All clients have received everything that was due up to this instant.
        case served = 0
        /// The same for the clients that were reached in the current round.
        case serving = 1
        /// The origin of the due times.
        case grid = 2
        /// The period of its device.
        case period = 3
    }

    static func resource(_ index: ResourceIndex, _ word: OfResource) -> Int {
        index.number < Limits.resources ? firstResource + wordsPerResource * index.number + word.rawValue : count
    }

    static func marks(of slot: LedgerSlot) -> Int {
        slot.number < connections ? firstConnection + 2 * slot.number : count
    }

    /// The last round in which a connection got a message.
    static func reached(of slot: LedgerSlot) -> Int {
        slot.number < connections ? firstConnection + 2 * slot.number + 1 : count
    }

    /// The words of a lane; 0: unknown.
    enum OfLane: Int {
        /// When the next reading is due to a member that has not been reached in the current round.
        case formerDue = 0
        /// The same for all others.
        case nextDue = 1
    }

    static func lane(_ slot: LedgerSlot?, _ word: OfLane) -> Int {
        guard let slot, slot.number < lanes else { return count }
        return firstLane + 2 * slot.number + word.rawValue
    }
}
