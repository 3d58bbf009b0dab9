internal import CLinux
internal import Glibc
internal import Printable

/// Who may use a socket: its owner, and its group if the mode lets it.
struct SocketOwner: Equatable {
    /// The name of its user; nil if it cannot be found out.
    var user: String?
    /// The name of the group that may use it; nil: none may, or it cannot be found out.
    var group: String?

    init(user: String? = nil, group: String? = nil) { (self.user, self.group) = (user, group) }

    /// Those of a path. `stat(2)`, `getgrgid(3)`
    init(of path: String) {
        var status = stat()
        // Of a directory that is closed nothing is known.
        guard unsafe stat(path, &status) == 0 else { return }
        user = AccountNames.host.user(Int64(status.st_uid)) ?? "\(status.st_uid)"
        // Nobody should become a member of root's group for this.
        if status.st_mode & S_IWGRP != 0, status.st_gid != 0 {
            group =
                unsafe getgrgid(status.st_gid).map { unsafe String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
        }
    }

    /// Whether it has no group that may use it, as that of a broker that was started before there was the group.
    var isWithoutGroup: Bool { user != nil && group == nil }

    /// What a user does who may not use it; `restart`: how to restart the broker, if it is that of the service.
    func remedy(for name: String, path: String, restart: String? = nil) -> String {
        if let restart, isWithoutGroup { return "\(restart): it was started before there was the group sensorbroker" }
        if let group { return "sudo usermod -aG \(group.printable) \(name.printable), and log in again" }
        let sudo = "sudo sensorctl --socket \(path.printable) …, since sudo drops $SENSORBROKER_SOCKET"
        guard let user else { return "its directory is closed to you: \(sudo)" }
        return user == "root"
            ? "it is root's alone: \(sudo)" : "it is \(user.printable)'s alone: ask that user, or use \(sudo)"
    }
}
