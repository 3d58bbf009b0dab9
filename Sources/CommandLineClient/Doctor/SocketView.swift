/// What became of a try to talk to a socket.
struct SocketView: Equatable {
    enum Answer: Equatable {
        /// It was left alone: to knock would start a service once more that cannot start.
        case untried
        /// A broker answers.
        case answers
        /// There is no such file.
        case missing
        /// Nobody listens there.
        case refused
        /// The user may not use it.
        case denied
        /// A process listens, but does not answer within the timeout.
        case mute
        /// Something else, in words.
        case failed(String)
    }

    var path: String
    var answer: Answer
}
