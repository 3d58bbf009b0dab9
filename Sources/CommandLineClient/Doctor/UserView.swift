/// Who asks, and what that means at the socket.
struct UserView: Equatable {
    var name = ""
    var isRoot = false
    /// Whether there is a group `sensorbroker` at all.
    var groupExists = true
    /// Whether this process is in it.
    var isMember = true
    /// Whether the user is in it by the host's books.
    var isListed = true
}
