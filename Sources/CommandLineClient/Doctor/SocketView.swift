/// What became of a try to talk to a socket.
struct SocketView: Equatable {
    enum Answer: Equatable {
        /// A broker answers.
        case answers
        /// There is no such file.
        case missing
        /// Nobody listens there.
        case refused
        /// The user may not use it.
        case denied
        /// Something else, in words.
        case failed(String)
    }

    var path: String
    var answer: Answer
}
