internal import CSystemd
internal import Glibc
internal import Platform

/// The service manager that started this process, if any.
enum ServiceManager {
    /// The numbers of the sockets that it passed. `sd_listen_fds(3)`
    ///
    /// The caller owns them. Call it once, since it clears the environment.
    static func passedSockets() -> [Int32] { (0..<max(0, sd_listen_fds(1))).map { SD_LISTEN_FDS_START + $0 } }

    /// Whether a passed socket is a listening Unix stream socket, and not a client's. `sd_is_socket(3)`
    static func isListening(_ number: Int32) -> Bool {
        sd_is_socket(number, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0
    }

    /// Tells it that this process serves. `sd_notify(3)`
    static func tellReady() { _ = unsafe sd_notify(0, "READY=1") }

    /// Has it keep a client's connection for the process after this one, until the client leaves. `sendmsg(2)`
    static func keep(client number: Int32) {
        guard let path = unsafe getenv("NOTIFY_SOCKET") else { return }
        _ = try? ServiceNotification.send(
            "FDSTORE=1\nFDNAME=client", with: [number], to: unsafe String(cString: path), waitingMilliseconds: 0)
    }
}
