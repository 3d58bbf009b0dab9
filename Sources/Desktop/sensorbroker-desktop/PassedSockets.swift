internal import CSystemd
internal import Glibc

/// The sockets that the service manager passed to this process.
enum PassedSockets {
    /// Their numbers. `sd_listen_fds(3)`
    ///
    /// The caller owns them. Call it once, since it clears the environment.
    static func take() -> [Int32] { (0..<max(0, sd_listen_fds(1))).map { SD_LISTEN_FDS_START + $0 } }

    /// Whether a passed socket is a listening Unix stream socket, and not a client's. `sd_is_socket(3)`
    static func isListening(_ number: Int32) -> Bool {
        sd_is_socket(number, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0
    }
}
