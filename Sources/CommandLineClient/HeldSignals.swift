internal import CLinux
internal import Glibc

/// SIGINT, SIGTERM and SIGHUP, held back while a file is half written.
///
/// A signal that came meanwhile does at the end what it does to any program. One that the program's starter has ignored, as
/// `nohup` does, stays ignored.
struct HeldSignals: ~Copyable {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private var before = sigset_t()

    /// Holds them. `pthread_sigmask(3)`
    init() { _ = unsafe clinux_hold_signals(Self.numbers, Int32(Self.numbers.count), &before) }

    deinit {
        var before = before
        _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Throws if one has come: it ends the program as soon as it is held no longer. `sigpending(2)`
    static func check() throws(Failure) {
        if unsafe clinux_is_signal_pending(numbers, Int32(numbers.count)) != 0 { throw Failure(.unavailable, nil) }
    }
}
