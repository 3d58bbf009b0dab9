internal import Platform
internal import Programs
internal import Readings
internal import Service

/// Holds the lock and the sockets of this instance, and restores their files if they are removed.
///
/// Cleaners of temporary files remove files that have not been used for days. Without the lock file, a second daemon
/// could start; without the path of its socket, this one runs but cannot be reached. A lock on the directory keeps
/// systemd-tmpfiles out, wherever the directory is; a line in tmpfiles.d(5) would only cover directories known in
/// advance. If another cleaner removes a file, inotify reports it, and the daemon restores the file if it can and logs
/// what happened.
final class InstanceFiles {
    private let paths: InstancePaths
    private let journal: Journal
    private var lock: InstanceLock
    private var keeper: Descriptor

    init(_ paths: InstancePaths, _ journal: Journal) throws(Failure) {
        self.paths = paths
        self.journal = journal
        do throws(LockFailure) { lock = try InstanceLock(path: paths.lock) } catch {
            throw Failure(error, holding: "already running")
        }
        keeper = paths.directory.keepCleanersOut()
    }

    func watch(_ server: Server) {
        do throws(SystemError) {
            let watch = try DirectoryWatch()
            try watch.begin(paths.directory.path)
            let number = watch.number
            let holder = Holder(watch)
            try server.watch(number) { [self] now in
                holder.watch.discardEvents()
                look(server, holder.watch, now)
            }
            // A file may have been removed before the watch began.
            look(server, holder.watch, BootTime(nanoseconds: Clock.bootNanoseconds()))
        } catch {
            journal.write(
                .warning, "cannot watch \(paths.directory.path), so files removed from it are not restored: \(error)")
        }
    }

    private func look(_ server: Server, _ watch: borrowing DirectoryWatch, _ now: BootTime) {
        do throws(SystemError) {
            // Recreates the directory if it is gone.
            let directory = try RuntimeDirectory(path: paths.directory.path)
            try watch.begin(directory.path)
            keeper = directory.keepCleanersOut()
        } catch {
            return journal.write(
                .error, "the directory of the sockets is gone: \(error); create it, and restart the broker")
        }
        guard hasLock() else { return }
        for place in server.clients.restoreSockets(now: now) { log(place) }
    }

    /// Whether this instance still holds its lock, or has taken it again.
    private func hasLock() -> Bool {
        guard !lock.isInPlace(at: paths.lock) else { return true }
        do throws(LockFailure) {
            // The loop must not wait.
            lock = try InstanceLock(path: paths.lock, givingTime: false)
            journal.write(.warning, "\(paths.lock) was removed, and has been restored; \(Self.advice)")
            return true
        } catch {
            journal.write(
                .error,
                "\(paths.lock) was removed, and another broker has started: \(error). Two brokers run now: "
                    + "stop one of them; \(Self.advice)")
            return false
        }
    }

    private func log(_ place: Listener.LostPlace) {
        switch place {
        case .restored(let path):
            journal.write(.warning, "\(path) was removed, and has been restored; \(Self.advice)")
        case .managers(let path):
            journal.write(
                .error,
                "\(path) was removed, and only systemd can restore it: systemctl restart "
                    + "\(paths.socketUnits); \(Self.advice)")
        case .taken(let path):
            journal.write(
                .error, "\(path) was replaced by another file: clients cannot connect; restart the broker")
        case .failed(let error):
            journal.write(.error, "a socket was removed, and cannot be restored: \(error)")
        }
    }

    private static let advice = "a program that cleans temporary files should leave it alone"

    private final class Holder {
        let watch: DirectoryWatch

        init(_ watch: consuming DirectoryWatch) { self.watch = watch }
    }
}
