internal import Glibc

/// The user who runs this program, and whether they are in the group `sensorbroker`.
enum UserSurvey {
    /// The user with their groups. `getgrnam(3)`, `getgroups(2)`
    static func view() -> UserView {
        let userID = geteuid()
        let entry = unsafe getpwuid(userID)
        let name = unsafe entry.map { unsafe String(cString: $0.pointee.pw_name) } ?? "\(userID)"
        var view = UserView(name: name, isRoot: userID == 0)
        guard let group = unsafe getgrnam("sensorbroker") else {
            view.groupExists = false
            view.isMember = false
            view.isListed = false
            return view
        }
        view.isMember = groups().contains(unsafe group.pointee.gr_gid)
        let names = unsafe names(of: group)
        view.isListed = view.isMember || names.contains(name)
        return view
    }

    private static func groups() -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = unsafe getgroups(Int32(clamping: groups.count), &groups)
        return [getegid()] + groups.prefix(Int(max(0, count)))
    }

    private static func names(of group: UnsafeMutablePointer<group>) -> [String] {
        var names: [String] = []
        guard var member = unsafe group.pointee.gr_mem else { return [] }
        while let name = unsafe member.pointee {
            names.append(unsafe String(cString: name))
            unsafe member += 1
        }
        return names
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
