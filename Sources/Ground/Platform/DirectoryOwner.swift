internal import Glibc

/// The owner of a directory, to whom root leaves the files that it makes there.
///
/// A daemon that root runs by hand works in the directories of the service's user, and what it leaves must not stay root's: a
/// lock is never unlinked, and would lock the service out until the host is rebooted; a file of the state could not be read.
enum DirectoryOwner {
    /// Gives the open file at a path to the owner of its directory, if this is root. `fchown(2)`
    static func take(_ number: Int32, at path: String) {
        guard geteuid() == 0 else { return }
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { String(path[...$0]) } ?? "."
        var status = stat()
        guard unsafe stat(directory, &status) == 0, status.st_uid != 0 else { return }
        let (user, group) = (status.st_uid, status.st_gid)
        // A file with a second name must not be given away.
        guard unsafe fstat(number, &status) == 0, status.st_nlink == 1 else { return }
        _ = fchown(number, user, group)
    }
}
