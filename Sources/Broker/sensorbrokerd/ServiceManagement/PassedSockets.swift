internal import CSystemd
internal import Glibc

/// The sockets that the service manager passed to this process.
enum PassedSockets {
    /// The sockets by name. `sd_listen_fds_with_names(3)`
    ///
    /// The caller owns them. Call it once, since it clears the environment.
    static func take() -> [(name: String, number: Int32)] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = unsafe sd_listen_fds_with_names(1, &names)
        guard count > 0, let names = unsafe names else { return [] }
        var passed: [(name: String, number: Int32)] = []
        for index in 0..<Int(count) {
            guard let name = unsafe names[index] else { continue }
            passed.append((unsafe String(cString: name), SD_LISTEN_FDS_START + Int32(index)))
            unsafe free(name)
        }
        unsafe free(names)
        return passed
    }

    /// Whether a passed descriptor is a listening Unix stream socket. `sd_is_socket(3)`
    static func isListening(_ number: Int32) -> Bool {
        sd_is_socket(number, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0
    }

    /// Whether a passed descriptor is a Unix stream socket with a client at its other end. `sd_is_socket(3)`
    static func isConnected(_ number: Int32) -> Bool {
        sd_is_socket(number, AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) > 0
    }
}
