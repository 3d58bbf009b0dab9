/// What an iiod said that it must not say.
enum ProtocolBreach: Error, Equatable, CustomStringConvertible {
    /// Where a number was due: no number, or none that an iiod has use for.
    case noNumber
    /// More bytes were announced than there is room for.
    case tooMuch(announced: Int, room: Int)
    /// A text did not end where it was announced to end.
    case unended
    /// The mask of the channels in a buffer is not one, or not of the channels that were asked for.
    case mask
    /// No whole sample, at once: an iiod answers when there are some, or that its time is up.
    case nothing
    /// It said more than it was asked for.
    case unasked
    /// Its description of its devices cannot be one.
    case description(MarkupError)

    var description: String {
        switch self {
        case .noNumber: "something else where a number was due"
        case .tooMuch(let announced, let room): "\(announced) bytes announced where \(room) had room"
        case .unended: "a text that goes on after its end"
        case .mask: "a mask of other channels than were asked for"
        case .nothing: "no sample where some were due"
        case .unasked: "an answer to what was not asked"
        case .description(let error): "a description of its devices with \(error)"
        }
    }
}
