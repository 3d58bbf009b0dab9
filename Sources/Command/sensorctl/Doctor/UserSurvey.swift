internal import Glibc
internal import Platform

/// The user who runs this program, and whether they are in the group `sensorbroker`.
enum UserSurvey {
    /// The user with their groups. `getgroups(2)`
    static func view() -> UserView {
        let userID = geteuid()
        var view = UserView(name: AccountNames.host.user(Int64(userID)) ?? "\(userID)", isRoot: userID == 0)
        let group = Accounts.groupID(named: "sensorbroker")
        view.groupExists = group != nil
        view.isMember = group.map { groups().contains($0) } ?? false
        view.isListed = view.isMember || group.map { Accounts.groupIDs(ofUser: userID).contains($0) } ?? false
        return view
    }

    private static func groups() -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = unsafe getgroups(Int32(clamping: groups.count), &groups)
        return [getegid()] + groups.prefix(Int(max(0, count)))
    }
}

/// A user, and the user's rights at the socket.
struct UserView: Equatable {
    var name = ""
    var isRoot = false
    /// Whether there is a group `sensorbroker` at all.
    var groupExists = true
    /// Whether this process is in it.
    var isMember = true
    /// Whether the user is in it according to the host's database, so that a new login would have it.
    var isListed = true
}
